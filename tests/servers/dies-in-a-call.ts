// The server `odd` ends while it is at a call; the other one goes on.
try {
  await odd_dies();
} catch (error) {
  if (!(error instanceof ToolError)) throw error;
  console.log(error.kind, error.server, error.tool);
  console.log(error.message);
}
console.log((await time_get_current_time({ timezone: "UTC" })).timezone);
