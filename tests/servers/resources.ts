// What a result links to can be read, page after page of the list can be walked.
const list = await mcp.listResources("everything");
console.log(list.length > 0, list.every((resource) => typeof resource.uri === "string"));
const result = (await mcp.callTool<ToolResult>("everything_get_resource_links", { count: 2 }));
for (const block of result.content) {
  if (block.type !== "resource_link") continue;
  const [part] = await mcp.readResource("everything", block.uri);
  console.log(part.uri === block.uri, typeof (part.text ?? part.blob), part.mimeType);
}
try {
  await mcp.readResource("everything", "file:///etc/passwd");
} catch (error) {
  if (error instanceof ToolError) console.log(error.kind, error.server, error.tool);
}
