//@ cpu_ms 500
setInterval(() => { const until = Date.now() + 50; while (Date.now() < until); }, 1);
await new Promise((resolve) => setTimeout(resolve, 60000));
