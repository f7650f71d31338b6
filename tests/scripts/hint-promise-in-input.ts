// A promise in the input is refused before anything is sent: as JSON it would be `{}`.
for (const input of [{ title: demo_text() }, { list: [1, { deep: demo_text() }] }, demo_echo({})]) {
  try { await demo_echo(input as any); } catch (error) { console.log(error.kind, error.message); }
}
console.log(await demo_echo({ fine: {} }));
