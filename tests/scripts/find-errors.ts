const fails = async (call: Promise<unknown>) => {
  try {
    console.log("found", await call);
  } catch (error) {
    console.log(error.name, error.kind, error.tool, error.message);
  }
};
await fails(mcp.searchTools("echo", { limit: 0 }));
await fails(mcp.searchTools("echo", { limit: 51 }));
await fails(mcp.searchTools("echo", { detail: "all" as any }));
await fails(mcp.searchTools("echo", { server: 1 as any }));
await fails(mcp.searchTools("echo", { server: ["demo", 1] as any }));
await fails(mcp.searchTools("echo", { readOnly: "yes" as any }));
await fails(mcp.searchTools("(", { regex: true }));
await fails(mcp.describeTool("demo_ecko"));
await fails(mcp.describeTool("demo/nothing"));
await fails(mcp.describeTool(undefined as any));
await fails(mcp.searchTools("echo", { timeoutMs: 0 }));
await fails(mcp.searchTools("echo", { signal: AbortSignal.abort() }));
// By the name that the host knows, which is no function: answered like what it is.
await fails(mcp.callTool("mcp.searchTools", { query: 7, limit: 1, detail: "name" }));
await fails(mcp.callTool("mcp.describeTool", { name: { toString: 1 } }));
