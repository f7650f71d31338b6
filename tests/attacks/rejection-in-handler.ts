// The first error ends the run; what the script still wants to do with it comes too late.
Promise.reject(new Error("first")).finally(() => { console.log("finally"); });
setTimeout(() => { console.log("not reached"); }, 50);
await demo_sleep({ ms: 5000 });
