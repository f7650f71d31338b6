//@ calls_in_flight 4
const started = performance.now();
const all = await Promise.all(Array.from({ length: 12 }, (_, n) => demo_echo({ n })));
return all.map((one) => one.n);
