//@ heap_mib 32
// Each is cleared, so there is no end to them, and nothing of them may stay.
for (let i = 0; i < 300_000; i++) clearTimeout(setTimeout(() => {}, 1e5 + i));
console.log("none is left");
