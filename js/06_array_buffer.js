// ArrayBuffer without resizing: memory that a buffer may grow into is taken past the allocator that
// holds the budget, so a script could have all there is. Everything else is V8's own.
"use strict";

((globalThis) => {
  const { primordials, internals } = globalThis.__bootstrap;
  const {
    ArrayBuffer: Native,
    ArrayBufferIsView,
    ArrayBufferPrototype,
    ObjectDefineProperty,
    ReflectConstruct,
    ReflectGetOwnPropertyDescriptor,
    SymbolSpecies,
    TypeError,
  } = primordials;
  const { define, expose } = internals;

  function ArrayBuffer(length, options = undefined) {
    if (new.target === undefined) throw new TypeError("Constructor ArrayBuffer requires 'new'");
    if (options != null && options.maxByteLength !== undefined) {
      throw new TypeError("resizable ArrayBuffers are not available: leave `maxByteLength` out");
    }
    return ReflectConstruct(Native, [length], new.target);
  }
  ObjectDefineProperty(ArrayBuffer, "prototype", {
    __proto__: null,
    value: ArrayBufferPrototype,
    writable: false,
  });
  define(ArrayBuffer, "isView", ArrayBufferIsView);
  const species = ReflectGetOwnPropertyDescriptor(Native, SymbolSpecies);
  ObjectDefineProperty(ArrayBuffer, SymbolSpecies, { __proto__: null, ...species });
  define(ArrayBufferPrototype, "constructor", ArrayBuffer);
  expose("ArrayBuffer", ArrayBuffer);
})(globalThis);
