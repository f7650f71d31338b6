// Only a limit of the run ends it as one: what may be shown is none.
for (;;) await mcp.show({ type: "text", text: "x" });
