//@ calls 1000
// Begun and given up at once.
const kinds = new Set<string>();
for (let i = 0; i < 500; i++) {
  const controller = new AbortController();
  const call = demo_sleep({ ms: 60000 }, { signal: controller.signal } as any);
  controller.abort();
  await call.catch((error: any) => kinds.add(error.kind));
}
console.log([...kinds], await demo_echo({ well: true }));
