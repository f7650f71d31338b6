const status = await git_git_status({ repo_path: "." });
console.log(status.text);
const log = await git_git_log({ repo_path: "." });
console.log(log.text.match(/^(Author|Message): .*/gm));

// A commit, made and seen again.
await git_git_add({ repo_path: ".", files: ["new.txt"] });
await git_git_commit({ repo_path: ".", message: "Add a file" });
console.log((await git_git_log({ repo_path: "." })).text.match(/^Message: .*/gm));

try {
  await git_git_log({ repo_path: "/" });
} catch (error) {
  if (!(error instanceof ToolError)) throw error;
  console.log(error.kind, error.tool);
}
