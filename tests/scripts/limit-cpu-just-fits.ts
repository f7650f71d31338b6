//@ cpu_ms 2000
for (const end = performance.now() + 300; performance.now() < end; );
return "within";
