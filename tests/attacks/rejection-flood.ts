// Rejected, and handled a moment later.
const all: Promise<never>[] = [];
for (let i = 0; i < 2000; i++) all.push(Promise.reject(i));
for (const one of all) one.catch(() => {});
await demo_echo({});
console.log(all.length);
