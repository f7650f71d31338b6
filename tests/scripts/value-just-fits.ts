//@ value_bytes 100
return "x".repeat(98);
