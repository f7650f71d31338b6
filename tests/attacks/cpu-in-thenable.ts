//@ cpu_ms 500
return { then() { for (;;); } };
