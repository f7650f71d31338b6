// What is waited for in some way has no hint.
const first = demo_echo({ n: 1 }), all = Promise.all([first, demo_text()]);
const later = demo_echo({ n: 2 }).then((value) => value);
console.log((await all).length, await later, await first);
(null as any).property;
