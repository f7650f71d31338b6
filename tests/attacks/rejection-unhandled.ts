// Nobody looks at this promise, and nobody has to: what it says ends the run.
Promise.reject({ odd: true });
await demo_sleep({ ms: 5000 });
return "not reached";
