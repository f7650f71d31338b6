//@ calls 1
// The real error of a limit ends the run as that limit, whatever the script has made of it.
await demo_echo({});
try { await demo_echo({}); } catch (error) {
  error.kind = "execution"; error.message = "all is well"; error.name = "Fine"; error.stack = "";
  Object.setPrototypeOf(error, null);
  throw error;
}
