//@ cpu_ms 500
const again = (): void => { Promise.resolve().then(again); };
again();
await new Promise(() => {});
