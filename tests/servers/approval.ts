// Nobody can be asked here, so what the policy would ask about is denied.
const seen = async (name: string, call: () => Promise<unknown>) => {
  try {
    await call();
    console.log(name, "allowed");
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    console.log(name, error.kind);
  }
};
const { content } = await files_list_allowed_directories();
const work = content.trim().split("\n").at(-1)!;
const repo_path = `${work}/repository`;
await seen("read", () => files_list_directory({ path: work }));
await seen("write a note", () => files_write_file({ path: `${work}/notes/a.md`, content: "a note" }));
await seen("write elsewhere", () => files_write_file({ path: `${work}/notes/../elsewhere.md`, content: "" }));
await seen("status", () => git_git_status({ repo_path }));
await seen("status elsewhere", () => git_git_status({ repo_path: "/" }));
await seen("add", () => git_git_add({ repo_path, files: ["new.txt"] }));
await seen("commit", () => git_git_commit({ repo_path, message: "Add a file" }));
await seen("reset", () => git_git_reset({ repo_path }));
await seen("file", () => ticketing_createIssue({ title: "Slow", priority: "low" }));
await seen("file, high", () => ticketing_createIssue({ title: "Down", priority: "high" }));
await seen("list", () => ticketing_listIssues());
return (await ticketing_listIssues()).json<unknown[]>().length;
