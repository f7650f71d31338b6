//@ cpu_ms 500
/^(a+)+$/.test("a".repeat(50) + "!");
