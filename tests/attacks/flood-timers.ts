let made = 0;
try { for (;;) { setTimeout(() => {}, 1e6); made++; } } catch (error) { console.log(error.name, made); }
