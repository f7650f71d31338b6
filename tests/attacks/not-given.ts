// Names that are no functions of this run, and names that mean something to JavaScript.
for (const name of ["demo_secret", "other_echo", "demo/denied", "demo/echo ", "", "__proto__", "constructor", "toString", "demo", "/", "demo/", "\0", "demo_echo\0", "x".repeat(1e5)]) {
  try { console.log("answered", await mcp.callTool(name, {})); } catch (error) { console.log(error.kind, JSON.stringify(error.message.slice(0, 60))); }
}
for (const name of [undefined, null, 7, { toString: () => "demo_denied" }, ["demo_denied"]] as any[]) {
  try { console.log("answered", await mcp.callTool(name, {})); } catch (error) { console.log(error.kind, error.message); }
}
try { (mcp as any).callTool = () => "mine"; } catch (error) { console.log(error.name); }
try { (globalThis as any).demo_echo = () => "mine"; } catch (error) { console.log(error.name); }
console.log(await demo_echo({ still: "there" }), delete (globalThis as any).no_such);
