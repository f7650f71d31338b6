try {
  await demo_fail({ a: 1 });
} catch (error) {
  console.log(error instanceof ToolError, error instanceof Error, error.name);
  console.log(error.kind, error.server, error.tool, error.message, error.content);
  console.log("code" in error, error.stack.split("\n").slice(1).join());
}
