demo_fail();
await demo_sleep({ ms: 200 });
return "not reached";
