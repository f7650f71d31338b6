// Calls made with the last frames of the stack: each is answered, or has thrown and was not made.
const calls: Promise<unknown>[] = [];
let thrown = 0;
const edge = (work: () => void): void => {
  const deeper = (n: number): void => {
    try { deeper(n + 1); } catch { thrown++; work(); }
  };
  try { deeper(0); } catch { /* the last of them */ }
};
let made = 0, ran = 0;
const ways = [() => ({ n: made++ }), () => ({ get n() { return made++; } }), () => ({ toJSON: () => ({ n: made++ }) })];
for (let i = 0; i < 30; i++) edge(() => { const call = demo_echo(ways[i % 3]() as any); calls.push(call); });
for (let i = 0; i < 20; i++) edge(() => { setTimeout(() => ran++, 1); });
edge(() => { const timer = setInterval(() => ran++, 1e6); edge(() => clearInterval(timer)); });
const target = new EventTarget();
for (let i = 0; i < 20; i++) edge(() => target.addEventListener(`type${i}`, () => {}));
edge(() => { setTimeout(() => {}, 1); new URL("https://a.b/c?d"); structuredClone({ a: [1] }); new TextEncoder().encode("x"); });
const ends = await Promise.allSettled(calls);
const answers = ends.filter((end) => end.status === "fulfilled").map((end: any) => end.value.n);
const errors = new Set(ends.filter((end) => end.status === "rejected").map((end: any) => end.reason.name));
console.log(calls.length, new Set(answers).size === answers.length, [...errors].every((name) => name === "RangeError" || name === "ToolError"));
await new Promise((resolve) => setTimeout(resolve, 30));
console.log(await demo_echo({ well: true }), ran);
