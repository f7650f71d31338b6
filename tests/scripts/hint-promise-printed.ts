console.log("first", demo_echo({ a: 1 }));
console.log({ again: demo_echo({ a: 1 }) });
console.log(Promise.resolve("settled"));
console.log(`as text: ${demo_text()}`, "" + demo_text());
