//@ heap_mib 32
//@ cpu_ms 30000
// Each is cleared, so there is no end to them, and nothing of them may stay.
for (let i = 0; i < 200_000; i++) clearTimeout(setTimeout(() => {}, 1e5 + i));
console.log("none is left");
