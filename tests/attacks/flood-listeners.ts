//@ cpu_ms 1000
const signal = new AbortController().signal;
for (;;) signal.addEventListener("abort", () => {});
