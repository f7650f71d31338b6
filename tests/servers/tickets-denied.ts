try {
  await ticketing_createIssue({ title: "Error: denied", priority: "low" });
} catch (error) {
  if (!(error instanceof ToolError)) throw error;
  console.log(error.kind);
}
return (await ticketing_listIssues()).json<unknown[]>().length;
