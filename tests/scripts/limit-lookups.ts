// The same for what a script may look up.
for (;;) await mcp.listServers();
