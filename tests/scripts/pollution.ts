// A script that replaces built-ins neither sees nor breaks what the platform does inside.
const hits: string[] = [];
const push = Array.prototype.push;
const apply = Reflect.apply;
const define = Object.defineProperty;
const keys = Reflect.ownKeys;
const describe = Object.getOwnPropertyDescriptor;
const map = new Map<unknown, unknown>([["a", { b: 1 }]]);
const set = new Set([1]);
const date = new Date(0);
const bytes = new Uint8Array([104, 105]);
const settled = Promise.resolve(1);
const setup: [any, string][] = [
  [Array.prototype, "Array"],
  [String.prototype, "String"],
  [Map.prototype, "Map"],
  [Set.prototype, "Set"],
  [RegExp.prototype, "RegExp"],
  [Promise.prototype, "Promise"],
  [Function.prototype, "Function"],
  [Date.prototype, "Date"],
  [Number.prototype, "Number"],
  [Symbol.prototype, "Symbol"],
  [Object.getPrototypeOf(Uint8Array.prototype), "TypedArray"],
  [Object.getPrototypeOf([][Symbol.iterator]()), "ArrayIterator"],
  [Object.getPrototypeOf(new Map().entries()), "MapIterator"],
  [JSON, "JSON"],
  [Math, "Math"],
  [Reflect, "Reflect"],
  [Object, "Object"],
];
let watching = false;
const hit = (name: string) => {
  if (watching) apply(push, hits, [name]);
};
// Last, since the loop itself needs them.
const todo: [any, PropertyKey, string][] = [];
for (const [target, label] of setup) {
  for (const key of keys(target)) {
    const property = describe(target, key)!;
    if (!property.configurable || key === "constructor") continue;
    todo.push([target, key, `${label}.${String(key)}`]);
  }
}
const traps = (name: string) => () => hit(name);
for (let i = 0; i < todo.length; i++) {
  const target = todo[i][0];
  const key = todo[i][1];
  const name = todo[i][2];
  define(target, key, { __proto__: null, configurable: true, get: traps(name), set: traps(name) } as any);
}
const options = ["get", "set", "value", "stream", "once", "signal", "transfer", "depth", "cause"];
for (let i = 0; i < options.length; i++) {
  const name = `Object.prototype.${options[i]}`;
  define(Object.prototype, options[i], {
    __proto__: null,
    configurable: true,
    get: traps(name),
    set: traps(name),
  } as any);
}
watching = true;

console.log("%s %d", "text", 4, { a: [1, { b: "q'" }] });
console.log(map, set, date, bytes, settled);
console.table({ r: { x: 1 } });
const url = new URL("/p?a=1", "https://example.com/");
url.searchParams.append("b", "x y");
console.log(url.href, url);
console.log(new TextDecoder().decode(bytes), btoa("hi"), atob("aGk="), new TextEncoder().encode("é"));
const controller = new AbortController();
let aborted = 0;
controller.signal.addEventListener("abort", () => { aborted += 1; });
controller.abort();
const uuid = crypto.randomUUID().length;
const id = setTimeout(() => {}, 1);
clearTimeout(id);

watching = false;
const report = { __proto__: null, aborted, uuid, hits };
console.log(report);
