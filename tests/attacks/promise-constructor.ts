// `await` looks up the constructor of the promise that it gets. All promises that are seen so are the
// script's own: none of ours stands between a call and its result.
const seen = new Set<unknown>();
const mine = new Set<unknown>();
const own = Promise;
Object.defineProperty(Promise.prototype, "constructor", { configurable: true, get() { seen.add(this); return own; } });
Object.defineProperty(Promise, Symbol.species, { configurable: true, get() { seen.add("species"); return own; } });
const then = Promise.prototype.then;
let thens = 0;
Promise.prototype.then = function (...args) { thens++; return Reflect.apply(then, this, args); } as any;
const calls = [demo_echo({ n: 1 }), demo_text(), mcp.callToolRaw("demo_text")];
for (const call of calls) { mine.add(call); await call; }
const failing = demo_fail();
mine.add(failing);
try { await failing; } catch { /* as it should */ }
console.log([...seen].filter((promise) => !mine.has(promise)).length, thens);
// A constructor that is not Promise's makes the engine call `then`: with its own functions, not with ours.
class Spy extends Promise<unknown> {}
Object.defineProperty(Promise.prototype, "constructor", { configurable: true, value: Spy });
let handed: Function[] = [];
Promise.prototype.then = function (...args) { handed = args as Function[]; return Reflect.apply(then, this, args); } as any;
console.log(await demo_echo({ n: 2 }));
console.log(handed.map((f) => Function.prototype.toString.call(f)));
