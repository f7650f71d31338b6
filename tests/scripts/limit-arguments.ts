//@ argument_bytes 20
await demo_echo({ a: "x".repeat(12) });
await demo_echo({ a: "x".repeat(13) });
