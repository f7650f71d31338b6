//@ cpu_ms 500
await demo_echo({ toJSON() { for (;;); } });
