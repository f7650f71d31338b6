const name = ["demo", "echo"].join("_");
console.log(await mcp.callTool<{ n: number }>(name, { n: 1 }));
const raw = await mcp.callToolRaw("demo/text");
console.log(raw.content[0].text, raw instanceof ToolResult);
