//@ tool_timeout_ms 500
await demo_sleep({ ms: 10 });
console.log("in time");
await demo_sleep({ ms: 30000 });
