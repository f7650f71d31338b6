// Reading is allowed, writing is denied: by its function and by its name.
const folder = (await files_list_allowed_directories()).content.split("\n")[1];
const input = { path: `${folder}/denied.txt`, content: "this must not be there" };
for (const write of [() => files_write_file(input), () => mcp.callTool("files_write_file", input)]) {
  try {
    await write();
    console.log("written");
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    console.log(error.kind, error.message);
  }
}
return (await files_list_directory({ path: folder })).content;
