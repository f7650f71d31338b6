//@ calls 100
//@ calls_in_flight 4
const ends = await Promise.allSettled(Array.from({ length: 20000 }, (_, n) => demo_echo({ n })));
const kinds: Record<string, number> = {};
for (const end of ends) kinds[end.status === "fulfilled" ? "answered" : end.reason.kind] = (kinds[end.status === "fulfilled" ? "answered" : end.reason.kind] ?? 0) + 1;
console.log(kinds);
