[1, 2].forEach(async (n) => {
  await demo_sleep({ ms: 20 });
  console.log("call", n, "has ended");
});
setTimeout(() => console.log("nobody waits for a timer"), 5000);
return "returned";
