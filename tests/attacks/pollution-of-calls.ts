// Everything that a call could look up is replaced before it is made: the broker gets what was passed, the
// script gets what came back, and nothing of ours is handed to the replacements.
const hits: string[] = Object.setPrototypeOf([], null);
const { apply, ownKeys, getOwnPropertyDescriptor: describe, defineProperty: define } = Reflect;
const push = Array.prototype.push;
const stringify = JSON.stringify;
let watching = false;
const hit = (name: string) => { if (watching) apply(push, hits, [name]); };
const targets: [any, string][] = [
  [Array.prototype, "Array"], [String.prototype, "String"], [Map.prototype, "Map"], [Set.prototype, "Set"], [WeakMap.prototype, "WeakMap"],
  [RegExp.prototype, "RegExp"], [Promise.prototype, "Promise"], [Promise, "Promise static"], [Function.prototype, "Function"],
  [Number.prototype, "Number"], [Error, "Error static"], [JSON, "JSON"], [Math, "Math"], [Reflect, "Reflect"], [Object, "Object"],
  [Object.getPrototypeOf([][Symbol.iterator]()), "ArrayIterator"], [AbortSignal.prototype, "AbortSignal"], [EventTarget.prototype, "EventTarget"],
];
const fail = demo_fail;
const echo = demo_echo;
const callTool = mcp.callTool;
const controller = new AbortController();
const sleeping = (input: object, signal: AbortSignal) => demo_sleep(input, { __proto__: null, signal } as any);
const todo: [any, PropertyKey, string][] = [];
for (const [target, label] of targets) {
  for (const key of ownKeys(target)) {
    const property = describe(target, key)!;
    // `constructor` of a promise is what `await` itself looks up, on the promise that the script has.
    if (!property.configurable || key === "constructor" || key === "prototype") continue;
    todo.push([target, key, `${label}.${String(key)}`]);
  }
}
for (let i = 0; i < todo.length; i++) {
  const name = todo[i][2];
  define(todo[i][0], todo[i][1], { __proto__: null, configurable: true, get: () => hit(name), set: () => hit(name) } as any);
}
// What records and lists are made of, should one of ours have these prototypes.
const names = ["0", "1", "2", "3", "16", "kind", "message", "limit", "name", "line", "error", "promise", "resolve", "reject", "signal", "cancel", "tool", "server",
  "content", "text", "type", "value", "get", "set", "writable", "enumerable", "configurable", "toJSON", "timeoutMs", "cause", "stack", "id", "at", "due",
  "_idleNext", "_idlePrev", "priorityQueuePosition", "hint", "raw", "structuredContent"];
for (let i = 0; i < names.length; i++) {
  const name = names[i];
  for (let both = 0; both < 2; both++) {
    define(both ? Object.prototype : Array.prototype, name, { __proto__: null, configurable: true, get: () => hit(`get ${name}`), set: () => hit(`set ${name}`) } as any);
  }
}
for (let i = 0; i < 2; i++) {
  const symbol = i ? Symbol.for("Deno.core.internalPromiseId") : Symbol.for("Deno.core.hostObject");
  define(Promise.prototype, symbol, { __proto__: null, configurable: true, get: () => hit("symbol"), set: () => hit("symbol") } as any);
  define(Object.prototype, symbol, { __proto__: null, configurable: true, get: () => hit("symbol"), set: () => hit("symbol") } as any);
}
const input = { __proto__: null, honest: 1, list: { __proto__: null, a: "b" } };
const options = { __proto__: null, timeoutMs: 5000, signal: controller.signal };

watching = true;
const answer: any = await echo(input as any);
const again: any = await callTool("demo_echo", input, options as any);
let kind = "", text = "", aborted = "";
try { await fail(); } catch (error) { kind = describe(error as object, "kind")!.value; text = describe(error as object, "message")!.value; }
try { const slept = sleeping({ __proto__: null, ms: 60000 } as any, controller.signal); controller.abort(); await slept; } catch (error) { aborted = describe(error as object, "kind")!.value; }
let refusal = "";
try { await callTool("no_such", 1 as any); } catch (error) { refusal = describe(error as object, "message")!.value; }
watching = false;
return stringify([answer, again, kind, text, aborted, refusal, hits]);
