// Runs once in each isolate, after deno_core has started and before any script is read: takes away
// every way from the script's globals to deno_core, and gives Rust the two functions that it calls.
// Not part of the snapshot, because deno_core needs `Deno` to start from it.
"use strict";

((globalThis) => {
  const { internals } = globalThis.__bootstrap;

  // deno_core's wrapper looks itself up on the global object when it is first called.
  globalThis.queueMicrotask(() => {});

  // `Deno` and `__bootstrap` lead to deno_core's ops. WebAssembly allocates memory that no budget
  // counts, and its streaming functions abort the process in a bare deno_core. SharedArrayBuffer
  // and Atomics make a fine clock and can block the thread.
  const gone = ["Deno", "__bootstrap", "WebAssembly", "SharedArrayBuffer", "Atomics"];
  for (let i = 0; i < gone.length; i++) delete globalThis[gone[i]];

  return { __proto__: null, start: internals.start, finish: internals.finish };
})(globalThis);
