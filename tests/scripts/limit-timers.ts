//@ timers 3
for (let n = 0; n < 3; n++) setTimeout(() => {}, 1000);
try { setTimeout(() => {}, 1000); } catch (error) { console.log(error.name, error.message); }
