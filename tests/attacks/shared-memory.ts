// Nothing makes memory that two threads could share, or a clock out of one.
const names = ["SharedArrayBuffer", "Atomics", "WebAssembly", "Worker", "MessageChannel", "BroadcastChannel", "ShadowRealm"];
console.log(names.filter((name) => name in globalThis));
const view = new Uint8Array(8);
const around = Object.getOwnPropertyNames(Object.getPrototypeOf(Uint8Array));
console.log(around.join());
for (const odd of [() => structuredClone(view, { transfer: [view.buffer] }), () => new Uint8Array(new ArrayBuffer(8, { maxByteLength: 1e12 })), () => structuredClone(new WeakRef({})), () => structuredClone(demo_echo), () => structuredClone(Symbol("s")),
  () => structuredClone({ [Symbol.for("Deno.core.hostObject")]: 1 }), () => structuredClone({ [Symbol.for("Deno.core.hostObject")]: "x", a: 1 }), () => structuredClone(Object.assign(new Map(), { [Symbol.for("Deno.core.hostObject")]: 2 }))]) {
  try { console.log(odd()); } catch (error) { console.log(error.name, error.message); }
}
