// Without an output schema: text, as it came.
const echo = await everything_echo({ message: "grüße 👋" });
console.log(echo.text, `${echo}` === echo.text, echo.structuredContent);
console.log((await everything_get_sum({ a: 2, b: 3 })).text);

// With one: the structured content, checked.
const weather = await everything_get_structured_content({ location: "Chicago" });
console.log(Object.keys(weather), typeof weather.temperature);

// Blocks of every kind pass as they are.
const image = (await everything_get_tiny_image()).content[1];
if (image.type === "image") console.log(image.mimeType, atob(image.data).slice(1, 4));
const notice = await everything_get_annotated_message({ messageType: "error", includeImage: false });
console.log(notice.content[0]);
console.log((await everything_get_resource_links({ count: 2 })).content.slice(1));
const reference = (await everything_get_resource_reference({ resourceType: "Text", resourceId: 1 })).content[1];
if (reference.type === "resource") console.log(reference.resource.uri, reference.resource.mimeType);

// Input that does not fit the schema is not sent.
try {
  await mcp.callTool("everything_get_sum", { a: "2", b: 3 });
} catch (error) {
  if (!(error instanceof ToolError)) throw error;
  console.log(error.kind, error.message);
}

// What the host keeps in its environment is not for its servers.
const environment = (await everything_get_env()).json<Record<string, string>>();
console.log("HOST_SECRET" in environment);
