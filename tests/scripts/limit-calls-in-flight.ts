//@ calls_in_flight 2
const before = performance.now();
await Promise.all([1, 2, 3, 4].map(() => demo_sleep({ ms: 200 })));
// Two by two; a call cannot be shorter than it is.
return performance.now() - before >= 399;
