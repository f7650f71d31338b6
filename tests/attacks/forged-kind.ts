// A kind is reported of errors that a call has thrown, not of those that a script makes.
throw new ToolError("the server is not there", { kind: "unavailable", server: "demo", tool: "echo" });
