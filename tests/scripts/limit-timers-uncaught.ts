//@ timers 3
for (let n = 0; n < 4; n++) setTimeout(() => {}, 1000);
