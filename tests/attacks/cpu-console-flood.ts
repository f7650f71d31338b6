//@ cpu_ms 500
//@ console_bytes 4
for (;;) console.log("x");
