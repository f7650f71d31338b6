//@ calls 1
// An error says `limit` in the very words of ours: it is still an error of the script.
await demo_echo({});
let real: any;
try { await demo_echo({}); } catch (error) { real = error; }
console.log(real.kind, real.message);
throw Object.assign(new ToolError(real.message, { kind: "limit", limit: "calls", limitMessage: real.message }), { server: real.server, tool: real.tool });
