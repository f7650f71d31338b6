// An interval repeats until it is cleared, also from its own callback.
let ticks = 0;
await new Promise<void>((resolve) => {
  const id = setInterval(() => {
    ticks += 1;
    if (ticks === 3) {
      clearInterval(id);
      resolve();
    }
  }, 2);
});
await new Promise((resolve) => setTimeout(resolve, 20));
return ticks;
