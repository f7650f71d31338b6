// Nothing of the host is in reach, and no code comes from strings.
const names = ["fetch", "Deno", "__bootstrap", "WebAssembly", "process", "require", "module", "exports",
  "SharedArrayBuffer", "Atomics", "Worker", "XMLHttpRequest", "WebSocket", "localStorage", "navigator", "window",
  "global", "Buffer", "importScripts", "gc", "Temporal"];
console.log(names.filter((name) => name in globalThis).join() || "none");
for (const attempt of [
  () => new Function("1"), () => eval("1"), () => (async () => {}).constructor("1"), () => (function* () {}).constructor("1"),
  () => setTimeout("1", 0), () => Reflect.construct(Function, ["1"]), () => [].map.constructor("return this")(),
]) {
  try { attempt(); console.log("ran"); } catch (error) { console.log(error.name); }
}
