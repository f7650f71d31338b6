const issues = (await ticketing_listIssues({ state: "open" })).json<{ title: string }[]>();
return issues.filter((issue) => issue.title.startsWith("Error: ")).length;
