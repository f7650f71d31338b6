//@ tool_timeout_ms 100
await demo_sleep({ ms: 60000 });
