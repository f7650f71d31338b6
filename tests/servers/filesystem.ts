// The folder is asked for: a script knows no path of its host.
const folder = (await files_list_allowed_directories()).content.split("\n")[1];

await files_create_directory({ path: `${folder}/notes` });
await files_write_file({ path: `${folder}/notes/a.txt`, content: "first\nsecond\n" });
await Promise.all(["b", "c"].map((name) => files_write_file({ path: `${folder}/notes/${name}.txt`, content: name })));
await files_edit_file({ path: `${folder}/notes/a.txt`, edits: [{ oldText: "second", newText: "zweite – 二" }] });

console.log((await files_list_directory({ path: `${folder}/notes` })).content);
console.log((await files_read_text_file({ path: `${folder}/notes/a.txt` })).content);

// Outside of its folder the server refuses, and says so with `isError`.
try {
  await files_read_text_file({ path: "/etc/passwd" });
} catch (error) {
  if (!(error instanceof ToolError)) throw error;
  console.log(error.kind, error.server, error.tool, error.content?.length);
  console.log(error.message);
}
return "done";
