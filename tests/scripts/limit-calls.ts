//@ calls 2
for (let n = 0; n < 2; n++) await demo_echo({ n });
try { await demo_echo({}); } catch (error) { console.log(error.kind, error.server, error.tool); }
await demo_echo({});
