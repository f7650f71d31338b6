//@ wall_ms 500
console.log("kept");
await demo_sleep({ ms: 60000 });
