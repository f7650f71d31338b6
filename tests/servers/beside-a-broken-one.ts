// The server `files` could not start. Its tools are not there; those of others are.
console.log((await time_get_current_time({ timezone: "UTC" })).timezone);
console.log(typeof (globalThis as Record<string, unknown>)["files_read_text_file"]);
try {
  await mcp.callTool("files_read_text_file", { path: "/a" });
} catch (error) {
  if (!(error instanceof ToolError)) throw error;
  console.log(error.kind, error.message);
}
