//@ cpu_ms 500
return { get a() { for (;;); } };
