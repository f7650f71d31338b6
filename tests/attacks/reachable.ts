// Everything that a script can reach, from its globals and from what our functions hand out: by keys,
// symbols, prototypes, getters and setters. A line for each object: where it was found, what is above it
// if that is not what one expects, and its own properties (`()` a function, `get` an accessor).
// The expected text is the review: a name that is new here has to be looked at.
const found = new Map<object, string>();
const queue: [object, string][] = [];
const isObject = (value: unknown): value is object => typeof value === "function" || (typeof value === "object" && value !== null);
const meet = (value: unknown, path: string) => {
  if (!isObject(value) || found.has(value)) return;
  found.set(value, path);
  queue.push([value, path]);
};
const nameOf = (key: PropertyKey) =>
  typeof key === "symbol" ? `@@${(key.description ?? "").replace(/^Symbol\./, "")}${Symbol.keyFor(key) === undefined ? "" : " (registered)"}` : String(key);

// What has to be in no key, no name of a function and no text of its own.
const FORBIDDEN = /^(Deno|__bootstrap|bootstrap|core|internals|primordials|ops|op_.*|__infra|__timers|__.*promise.*|.*ext:.*)$/i;
const alarms: string[] = [];

const call = demo_echo({ a: [1], n: null });
const raw = mcp.callToolRaw("demo_text");
const error = await demo_fail().catch((error: unknown) => error);
const unknown = await mcp.callTool("no_such").catch((error: unknown) => error);
const invalid = await demo_strict({ level: 1n }).catch((error: unknown) => error);
const denied = await demo_denied().catch((error: unknown) => error);
const refused = await import("node:fs").catch((error: unknown) => error);
const attempt = (work: () => unknown) => { try { return work(); } catch (error) { return error; } };
const target = new EventTarget();
let seen: Event | undefined;
target.addEventListener("x", function (this: unknown, event) { meet(this, "listener.this"); seen = event; });
target.dispatchEvent(new CustomEvent("x", { detail: { d: 1 } }));
const controller = new AbortController();
controller.abort();
const timer = setTimeout(() => {}, 60000);
clearTimeout(timer);
let timerThis: unknown, microtaskThis: unknown;
await new Promise<void>((resolve) => setTimeout(function (this: unknown) { timerThis = this; resolve(); }, 0));
await new Promise<void>((resolve) => queueMicrotask(function (this: unknown) { microtaskThis = this; resolve(); }));
const params = new URLSearchParams("a=1");
const roots: Record<string, unknown> = {
  globalThis, call, result: await call, raw, rawResult: await raw, text: await demo_text(), error, unknown, invalid, denied, refused, timer, timerThis,
  microtaskThis, seen, signal: controller.signal, reason: controller.signal.reason, any: AbortSignal.any([controller.signal]),
  url: new URL("https://a.b/?c=d"), params, paramsIterator: params.entries(), encoder: new TextEncoder(), encoded: new TextEncoder().encode("a"),
  decoder: new TextDecoder(), clone: structuredClone({ a: new Map([[1, new Set([2])]]), e: new RangeError("x") }), uuid: crypto.randomUUID(),
  domException: attempt(() => structuredClone(() => {})), tooLittle: attempt(() => (setTimeout as any)()), urlError: attempt(() => new URL("x")),
  noEval: attempt(() => (0, eval)("1")), notJson: await demo_text().then((r: any) => r.json()).catch((e: unknown) => e), toJSON: performance.toJSON(),
  generator: (function* () {})(), asyncGenerator: (async function* () {})(), asyncFunction: async () => {}, arrow: () => {},
  arguments: (function (..._: unknown[]) { return arguments; })(1), arrayIterator: [][Symbol.iterator](), mapIterator: new Map().entries(),
  setIterator: new Set().values(), stringIterator: ""[Symbol.iterator](), regExpIterator: "".matchAll(/a/g), match: "a".match(/(?<g>a)/d),
  wrapped: Iterator.from({ next: () => ({ done: true, value: 1 }) }), helper: [1].values().map((x) => x), raws: ((s: TemplateStringsArray) => s)`a`,
  withResolvers: Promise.withResolvers(), descriptor: Object.getOwnPropertyDescriptor({ get a() { return 1; } }, "a"),
  formatter: new Intl.DateTimeFormat("en"), bound: new Intl.NumberFormat("en").format, parts: new Intl.NumberFormat("en").formatToParts(1),
  segments: new Intl.Segmenter("en").segment("a"), segmentIterator: new Intl.Segmenter("en").segment("a")[Symbol.iterator](), weak: new WeakRef({}),
  proxy: Proxy.revocable({}, {}), class: class { static #a = 1; b = 2; },
  disposable: typeof (globalThis as any).DisposableStack === "function" ? new (globalThis as any).DisposableStack() : null,
};
// What has a name of its own goes by that.
meet(globalThis, "globalThis");
for (const name of Object.getOwnPropertyNames(globalThis).sort()) {
  const value = (globalThis as any)[name];
  meet(value, name);
  if (isObject(value)) meet((value as any).prototype, `${name}.prototype`);
}
for (const [name, value] of Object.entries(roots)) meet(value, name);

const lines: string[] = [];
for (let at = 0; at < queue.length; at++) {
  const [object, path] = queue[at];
  const properties: string[] = [];
  for (const key of Reflect.ownKeys(object)) {
    const name = nameOf(key);
    if (FORBIDDEN.test(name)) alarms.push(`${path}.${name}`);
    const property = Reflect.getOwnPropertyDescriptor(object, key)!;
    const here = path === "globalThis" ? name : `${path}.${name}`;
    if ("value" in property) {
      meet(property.value, here);
      properties.push(typeof property.value === "function" ? `${name}()` : name);
    } else {
      meet(property.get, `get ${here}`);
      meet(property.set, `set ${here}`);
      properties.push(`${property.get ? "get " : "set "}${name}`);
      // With the object itself, and with each thing of its kind that we have.
      for (const receiver of [object, ...Object.values(roots)]) {
        if (receiver !== object && !(isObject(receiver) && Object.prototype.isPrototypeOf.call(object, receiver))) continue;
        const value = key === "__proto__" ? null : attempt(() => property.get?.call(receiver));
        meet(value, `${here}=`);
      }
    }
  }
  const above = Object.getPrototypeOf(object);
  meet(above, `${path}.__proto__`);
  if (typeof object === "function") {
    meet(attempt(() => (object as any).constructor), `${path}.constructor`);
    if (FORBIDDEN.test(object.name)) alarms.push(`${path} is called ${object.name}`);
  }
  const usual = typeof object === "function" ? Function.prototype : Object.prototype;
  const own = properties.sort().join(" ");
  // A function without anything odd, and the empty prototype that comes with it.
  if (typeof object === "function" && above === usual && /^length name( prototype)?$/.test(own)) continue;
  if (typeof object !== "function" && above === usual && own === "constructor()") continue;
  // What a getter throws at a stranger.
  if (above === TypeError.prototype && own === "get stack message") continue;
  const kind = above === usual ? "" : ` < ${above === null ? "null" : found.get(above)}`;
  lines.push(`${path}${kind}: ${own}`);
}
for (const symbol of ["Deno.core.internalPromiseId", "Deno.core.hostObject", "errorAdditionalPropertyKeys"]) {
  for (const [object, path] of queue) if (Object.hasOwn(object, Symbol.for(symbol))) console.log("registered symbol", symbol, "on", path);
}
console.log(lines.sort().join("\n"));
console.log(queue.length > 900, alarms);
