// Searches are the host's time; a script may make so many.
let found = 0;
try {
  for (;;) {
    await mcp.listServers();
    found++;
  }
} catch (error) {
  console.log(found, error.kind, error.message);
}
// Calls of tools go on.
return (await demo_echo({ well: true })).well;
