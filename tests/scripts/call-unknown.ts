try { await mcp.callTool("demo_ecko", {}); } catch (error) { console.log(error.kind, error.message); }
await mcp.callTool("nothing like it");
