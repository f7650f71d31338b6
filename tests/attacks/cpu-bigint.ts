//@ cpu_ms 500
let n = 3n; for (;;) n = n * n % (2n ** 4000000n) + 1n;
