// One script finds a tool and uses it.
const [found] = await mcp.searchTools("ehco", { limit: 1 });
console.log(found);
console.log(await mcp.callTool(found.name, { said: "hello" }));
console.log(await demo_echo({ said: "by its function" }));

const names = async (query: string, options?: SearchOptions) =>
  (await mcp.searchTools(query, options)).map((tool) => tool.name).join(" ");
console.log(await names("^demo_(fail|echo)", { regex: true, detail: "name" }));
console.log(await names("echo", { server: "nobody" }) === "");
console.log(await names("", { limit: 2 }));

const about = await mcp.describeTool("demo/echo");
console.log(Object.keys(about).join(" "));
console.log(about.declaration);
console.log(await mcp.listServers());
