// Runs once in each isolate, after deno_core has started and before any script is read: takes away
// every way from the script's globals to deno_core, and gives Rust the functions that it calls.
// Not part of the snapshot, because deno_core needs `Deno` to start from it.
"use strict";

((globalThis) => {
  const { internals, primordials } = globalThis.__bootstrap;

  // The engine's queueMicrotask is not there when the snapshot is made. It appears behind ours.
  const { queueMicrotask } = globalThis;
  delete globalThis.queueMicrotask;
  internals.setMicrotasks(globalThis.queueMicrotask);
  internals.expose("queueMicrotask", queueMicrotask);

  // Where deno_core makes an error of a termination, it looks for this list on the error, makes
  // room for as many entries as it says it has, and aborts if that is more than there is.
  primordials.ObjectDefineProperty(
    primordials.ErrorPrototype,
    primordials.SymbolFor("errorAdditionalPropertyKeys"),
    { __proto__: null, value: undefined, writable: false, enumerable: false, configurable: false },
  );

  // `Deno` and `__bootstrap` lead to deno_core's ops. WebAssembly allocates memory that no budget
  // counts, and its streaming functions abort the process in a bare deno_core. SharedArrayBuffer
  // and Atomics make a fine clock and can block the thread.
  const gone = ["Deno", "__bootstrap", "WebAssembly", "SharedArrayBuffer", "Atomics"];
  for (let i = 0; i < gone.length; i++) delete globalThis[gone[i]];
  // V8's own and no standard's.
  delete globalThis.Intl.v8BreakIterator;

  const { start, settle, tick, finish, describe } = internals;
  const head = internals.facts.stackHead;
  return { __proto__: null, start, settle, tick, finish, describe, head };
})(globalThis);
