// What the other files of this folder share: arrays that a script cannot reach, the way globals
// are defined, byte views, and DOMException (Web IDL §2.8.1).
//
// The rule for every file here: a hostile script runs later in this same realm and may replace
// any built-in. So all built-ins are taken from `primordials` when the snapshot is made, nothing
// iterates an array by protocol, and records are made with `__proto__: null`. An element written
// past the end of an ordinary array would call a setter that a script put on Array.prototype;
// `list()` has no prototype and therefore no such hole.
"use strict";

((globalThis) => {
  const { core, primordials, internals } = globalThis.__bootstrap;
  const {
    ArrayBufferIsView,
    ArrayPrototype,
    ArrayPrototypePush,
    DataViewPrototypeGetBuffer,
    DataViewPrototypeGetByteLength,
    DataViewPrototypeGetByteOffset,
    Error,
    ErrorCaptureStackTrace,
    ErrorPrototype,
    ObjectDefineProperty,
    ObjectHasOwn,
    ObjectSetPrototypeOf,
    ReflectApply,
    ReflectConstruct,
    ReflectGetOwnPropertyDescriptor,
    SafeWeakMap,
    SymbolToStringTag,
    TypedArrayPrototypeGetBuffer,
    TypedArrayPrototypeGetByteLength,
    TypedArrayPrototypeGetByteOffset,
    TypedArrayPrototypeGetSymbolToStringTag,
    TypeError,
    Uint8Array,
  } = primordials;

  /** Bounds that the host sets before a run; these are their defaults. */
  internals.limits = { __proto__: null, timers: 1000 };

  /** Errors of ours that a limit has made, with its name and what it says. */
  const limited = new SafeWeakMap();

  /** Makes an error count as that of a limit, if it ends the run. */
  function overLimit(error, limit, message) {
    limited.set(error, { __proto__: null, limit, message });
    return error;
  }

  /** An array for our own use. */
  function list() {
    return ObjectSetPrototypeOf([], null);
  }

  /** Turns a list into an array that a script may have. */
  function toArray(values) {
    return ObjectSetPrototypeOf(values, ArrayPrototype);
  }

  /** The values of a list but one, as a list of its own. */
  function without(values, unwanted) {
    const kept = list();
    for (let i = 0; i < values.length; i++) {
      if (values[i] !== unwanted) ArrayPrototypePush(kept, values[i]);
    }
    return kept;
  }

  /** Defines a property the way the platform defines classes, functions and methods. */
  function define(target, name, value) {
    ObjectDefineProperty(target, name, {
      __proto__: null,
      value,
      writable: true,
      enumerable: false,
      configurable: true,
    });
  }

  /** Puts a global where scripts find it. */
  function expose(name, value) {
    define(globalThis, name, value);
  }

  /** Gives the instances of a class their Symbol.toStringTag. */
  function tag(target, name) {
    ObjectDefineProperty(target, SymbolToStringTag, {
      __proto__: null,
      value: name,
      writable: false,
      enumerable: false,
      configurable: true,
    });
  }

  /** The value of an own data property; never calls a getter. `object` must not be a proxy. */
  function ownValue(object, key) {
    const property = ReflectGetOwnPropertyDescriptor(object, key);
    if (property === undefined || !ObjectHasOwn(property, "value")) return undefined;
    return property.value;
  }

  /**
   * Throws now, if the stack would be used up a little later. For what must not stop half-way: a
   * script may call us with its last frame. 64 KiB are asked for, by arguments that no compiler can
   * save: a function that is called for the first time is compiled first, and that takes most.
   */
  function ensureStack() {
    ReflectApply(nothing, undefined, MUCH);
  }

  function nothing() {}

  const MUCH = [];
  for (let i = 0; i < 8192; i++) ArrayPrototypePush(MUCH, 0);

  /** Refuses a call that has fewer arguments than the interface asks for. */
  function need(count, given, what) {
    if (given < count) {
      const noun = count === 1 ? "argument" : "arguments";
      throw new TypeError(`${what} needs ${count} ${noun}, got ${given}`);
    }
  }

  /** The bytes of an ArrayBuffer or of a view on one, without copying. Detached: no bytes. */
  function bytesOf(source, what) {
    if (ArrayBufferIsView(source)) {
      if (TypedArrayPrototypeGetSymbolToStringTag(source) !== undefined) {
        const length = TypedArrayPrototypeGetByteLength(source);
        if (length === 0) return new Uint8Array(0);
        const offset = TypedArrayPrototypeGetByteOffset(source);
        return new Uint8Array(TypedArrayPrototypeGetBuffer(source), offset, length);
      }
      let length;
      try {
        length = DataViewPrototypeGetByteLength(source);
      } catch {
        return new Uint8Array(0);
      }
      const offset = DataViewPrototypeGetByteOffset(source);
      return new Uint8Array(DataViewPrototypeGetBuffer(source), offset, length);
    }
    if (core.isAnyArrayBuffer(source)) {
      try {
        return new Uint8Array(source);
      } catch {
        return new Uint8Array(0);
      }
    }
    throw new TypeError(`${what} takes an ArrayBuffer or a view on one`);
  }

  /** `code` of the names that had one before names replaced codes. */
  const codes = {
    __proto__: null,
    IndexSizeError: 1,
    HierarchyRequestError: 3,
    WrongDocumentError: 4,
    InvalidCharacterError: 5,
    NoModificationAllowedError: 7,
    NotFoundError: 8,
    NotSupportedError: 9,
    InUseAttributeError: 10,
    InvalidStateError: 11,
    SyntaxError: 12,
    InvalidModificationError: 13,
    NamespaceError: 14,
    InvalidAccessError: 15,
    TypeMismatchError: 17,
    SecurityError: 18,
    NetworkError: 19,
    AbortError: 20,
    URLMismatchError: 21,
    QuotaExceededError: 22,
    TimeoutError: 23,
    InvalidNodeTypeError: 24,
    DataCloneError: 25,
  };

  class DOMException {
    constructor(message = "", name = "Error") {
      message = `${message}`;
      name = `${name}`;
      // A real error, so that it has a stack and is reported as one when nothing catches it.
      const error = ReflectConstruct(Error, [message], new.target);
      define(error, "name", name);
      define(error, "code", codes[name] ?? 0);
      ErrorCaptureStackTrace(error, DOMException);
      return error;
    }
  }
  ObjectSetPrototypeOf(DOMException.prototype, ErrorPrototype);
  define(DOMException.prototype, "name", "Error");
  define(DOMException.prototype, "code", 0);
  tag(DOMException.prototype, "DOMException");
  expose("DOMException", DOMException);

  internals.overLimit = overLimit;
  internals.limitOf = (error) => limited.get(error);
  internals.list = list;
  internals.toArray = toArray;
  internals.without = without;
  internals.define = define;
  internals.expose = expose;
  internals.tag = tag;
  internals.ownValue = ownValue;
  internals.ensureStack = ensureStack;
  internals.need = need;
  internals.bytesOf = bytesOf;
  internals.DOMException = DOMException;
  /** How platform objects print: functions to `{ fields }`, `{ pairs }` or undefined. */
  internals.views = list();
})(globalThis);
