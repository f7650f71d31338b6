// deno_core's timers keep lists of internal objects in ordinary arrays. Ours do not, and deno_core's are not used.
const leaked: unknown[] = [];
const push = leaked.push.bind(leaked);
const trap = (target: object, name: PropertyKey) =>
  Object.defineProperty(target, name, { configurable: true, set(value) { push(this, value); }, get() { push(this); return undefined; } });
for (let i = 0; i < 40; i++) trap(Array.prototype, i);
for (const name of ["_idleNext", "_idlePrev", "_onTimeout", "_timerArgs", "expiry", "id", "msecs", "priorityQueuePosition", "due", "order", "at", "callback"]) trap(Object.prototype, name);
const { race } = Promise;
let ran = "";
for (let delay = 1; delay <= 20; delay++) clearTimeout(setTimeout(() => {}, delay));
setTimeout(() => { ran += "c"; }, 30);
setTimeout(() => { ran += "b"; }, 20);
setTimeout((text: string) => { ran += text; }, 10, "a");
const timer = setInterval(() => { ran += "."; clearInterval(timer); }, 1);
await new Promise<void>((resolve) => setTimeout(resolve, 60));
const count = leaked.length;
for (let i = 0; i < 40; i++) delete (Array.prototype as any)[i];
console.log(ran, count);
