// What can be learned of an object without running code of the script: its name, its keys, what is
// behind a proxy, the text of an error, a function or a regular expression.
//
// Names, tags and messages count only where they are data properties; a prototype that is a proxy
// ends the search. The engine makes the text of a stack when that is first read; it asks
// `stackHead` here for the error's name and message, and not the error.
"use strict";

((globalThis) => {
  const { core, primordials, internals } = globalThis.__bootstrap;
  const {
    ArrayPrototypePush,
    Error,
    FunctionPrototypeToString,
    ObjectHasOwn,
    ReflectApply,
    ReflectGetOwnPropertyDescriptor,
    ReflectGetPrototypeOf,
    ReflectOwnKeys,
    RegExpPrototypeGetDotAll,
    RegExpPrototypeGetGlobal,
    RegExpPrototypeGetHasIndices,
    RegExpPrototypeGetIgnoreCase,
    RegExpPrototypeGetMultiline,
    RegExpPrototypeGetSource,
    RegExpPrototypeGetSticky,
    RegExpPrototypeGetUnicode,
    RegExpPrototypeGetUnicodeSets,
    SafeMap,
    StringPrototypeIncludes,
    StringPrototypeIndexOf,
    StringPrototypeSlice,
    StringPrototypeStartsWith,
    SymbolToStringTag,
  } = primordials;
  const { op_get_non_index_property_names } = core.ops;
  const { cut, layout, list, ownValue } = internals;
  const { shorten } = layout;

  const NAME_LENGTH = 200;
  const MESSAGE_LENGTH = 10000;
  const FRAMES = 50;
  /** Steps along prototypes. */
  const STEPS = 100;
  /** The engine's number for "only enumerable". */
  const ENUMERABLE = 2;

  /** What stands behind a proxy; null if it was revoked. */
  function unwrap(value) {
    while (core.isProxy(value)) {
      const details = core.getProxyDetails(value);
      value = details === null ? null : ownValue(details, "0") ?? null;
    }
    return value;
  }

  /** The nearest data property of that name; undefined if a getter or a proxy comes first. */
  function dataValue(object, key) {
    for (let i = 0; i < STEPS && object !== null && !core.isProxy(object); i++) {
      const property = ReflectGetOwnPropertyDescriptor(object, key);
      if (property !== undefined) {
        return ObjectHasOwn(property, "value") ? property.value : undefined;
      }
      object = ReflectGetPrototypeOf(object);
    }
    return undefined;
  }

  function dataText(object, key) {
    const value = dataValue(object, key);
    return typeof value === "string" ? value : undefined;
  }

  /** The name of a function; "" if it has none that is plain text. */
  function functionName(callee) {
    const name = core.isProxy(callee) ? undefined : ownValue(callee, "name");
    return typeof name === "string" ? shorten(name, NAME_LENGTH) : "";
  }

  /** Names of the built-in classes by prototype: a script may put anything in `constructor`. */
  const builtins = new SafeMap();
  const BUILTINS = [
    "Object", "Array", "Function", "Map", "Set", "WeakMap", "WeakSet", "WeakRef", "Promise", "Date",
    "RegExp", "Error", "AggregateError", "EvalError", "RangeError", "ReferenceError", "SyntaxError",
    "TypeError", "URIError", "Number", "String", "Boolean", "BigInt", "Symbol", "ArrayBuffer",
    "DataView", "Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array",
    "Int32Array", "Uint32Array", "Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array",
  ];
  for (let i = 0; i < BUILTINS.length; i++) {
    builtins.set(primordials[`${BUILTINS[i]}Prototype`], BUILTINS[i]);
  }

  /** The name of the class an object belongs to; null if nothing says so. */
  function className(object) {
    object = ReflectGetPrototypeOf(object);
    for (let i = 0; i < STEPS && object !== null && !core.isProxy(object); i++) {
      const builtin = builtins.get(object);
      if (builtin !== undefined) return builtin;
      const maker = ownValue(object, "constructor");
      const name = typeof maker === "function" ? functionName(maker) : "";
      if (name !== "") return name;
      object = ReflectGetPrototypeOf(object);
    }
    return null;
  }

  function tagOf(object) {
    return shorten(dataText(object, SymbolToStringTag) ?? "", NAME_LENGTH);
  }

  /** Enumerable keys, symbols too. */
  function keysOf(object) {
    const keys = ReflectOwnKeys(object);
    const enumerable = list();
    for (let i = 0; i < keys.length; i++) {
      if (ReflectGetOwnPropertyDescriptor(object, keys[i])?.enumerable) {
        ArrayPrototypePush(enumerable, keys[i]);
      }
    }
    return enumerable;
  }

  /** The same without array indices, of which there may be millions. */
  function namedKeysOf(object) {
    return op_get_non_index_property_names(object, ENUMERABLE) ?? list();
  }

  function regExpText(regExp) {
    let flags = "";
    if (RegExpPrototypeGetHasIndices(regExp)) flags += "d";
    if (RegExpPrototypeGetGlobal(regExp)) flags += "g";
    if (RegExpPrototypeGetIgnoreCase(regExp)) flags += "i";
    if (RegExpPrototypeGetMultiline(regExp)) flags += "m";
    if (RegExpPrototypeGetDotAll(regExp)) flags += "s";
    if (RegExpPrototypeGetUnicode(regExp)) flags += "u";
    if (RegExpPrototypeGetUnicodeSets(regExp)) flags += "v";
    if (RegExpPrototypeGetSticky(regExp)) flags += "y";
    return `/${shorten(RegExpPrototypeGetSource(regExp), MESSAGE_LENGTH)}/${flags}`;
  }

  /** `[Function: f]`, `[class A extends B]`. */
  function functionText(callee) {
    const name = functionName(callee);
    const source = FunctionPrototypeToString(callee);
    if (StringPrototypeStartsWith(source, "class")) {
      const parent = ReflectGetPrototypeOf(callee);
      const parentName = typeof parent === "function" ? functionName(parent) : "";
      const base = parentName === "" ? "" : ` extends ${parentName}`;
      return `[class ${name === "" ? "(anonymous)" : name}${base}]`;
    }
    const tag = tagOf(callee);
    const kind = StringPrototypeIncludes(tag, "Function") ? tag : "Function";
    return name === "" ? `[${kind} (anonymous)]` : `[${kind}: ${name}]`;
  }

  // Where an engine makes `stack` an accessor, its getter may be called and no other.
  function stackGetter() {
    return ReflectGetOwnPropertyDescriptor(new Error(), "stack")?.get;
  }
  const getStack = stackGetter();
  const inheritedStack = primordials.ErrorPrototypeGetStack;

  /** The text of a stack; undefined if there is none, or if making it throws. */
  function stackOf(error) {
    try {
      return readStack(error);
    } catch {
      return undefined;
    }
  }

  function readStack(error) {
    const property = ReflectGetOwnPropertyDescriptor(error, "stack");
    let stack;
    if (property === undefined) {
      if (inheritedStack !== undefined) stack = inheritedStack(error);
    } else if (ObjectHasOwn(property, "value")) {
      stack = property.value;
    } else if (
      property.get !== undefined && (property.get === getStack || property.get === stackGetter())
    ) {
      stack = ReflectApply(property.get, error, []);
    }
    return typeof stack === "string" ? stack : undefined;
  }

  /** The name of an error, from what it says now. */
  function errorName(error) {
    const ofClass = className(error);
    let name = dataText(error, "name");
    // A class of errors that did not set a name has one all the same.
    if (name === undefined || (name === "Error" && ofClass !== null)) name = ofClass ?? "Error";
    return shorten(name, NAME_LENGTH);
  }

  function errorMessage(error) {
    return shorten(dataText(error, "message") ?? "", MESSAGE_LENGTH);
  }

  /** `Name: message`, from what the error says now. */
  function errorHead(error) {
    const name = errorName(error);
    const message = errorMessage(error);
    if (name === "") return message;
    return message === "" ? name : `${name}: ${message}`;
  }

  /** The first line of a stack, which the engine asks for when a stack is first read. */
  function stackHead(error) {
    if (typeof error !== "object" || error === null || core.isProxy(error)) return "Error";
    const name = dataText(error, "name") ?? "Error";
    const message = dataText(error, "message") ?? "";
    if (name === "") return message;
    return message === "" ? name : `${name}: ${message}`;
  }

  /** Where in a stack its frames begin, behind the message, which may look like frames; or -1. */
  function framesAt(error, stack) {
    const message = dataText(error, "message") ?? "";
    const at = StringPrototypeIndexOf(stack, message);
    return StringPrototypeIndexOf(stack, "\n    at ", at === -1 ? 0 : at + message.length);
  }

  /** The frames of the script, a line each. */
  function errorFrames(error) {
    const stack = stackOf(error) ?? "";
    const start = framesAt(error, stack);
    return start === -1 ? "" : framesText(StringPrototypeSlice(stack, start + 1));
  }

  /** The stack without frames of ours; `[Name: message]` for an error that has no frames. */
  function errorText(error) {
    const head = errorHead(error);
    const stack = stackOf(error);
    if (stack === undefined || stack === "") return `[${head}]`;
    const start = framesAt(error, stack);
    if (start === -1) {
      // No frames: either there never were any, or the script set a text of its own.
      const isOwn = !StringPrototypeIncludes(stack, dataText(error, "message") ?? "") ||
        !StringPrototypeStartsWith(head, StringPrototypeSlice(stack, 0, 3));
      return isOwn ? `[${shorten(stack, MESSAGE_LENGTH)}]` : `[${head}]`;
    }
    const frames = framesText(StringPrototypeSlice(stack, start + 1));
    return frames === "" ? `[${head}]` : head + frames;
  }

  /** Frames of the script, each after a line break. */
  function framesText(text) {
    const lines = cut(shorten(text, MESSAGE_LENGTH * 2), "\n");
    let out = "";
    let count = 0;
    for (let i = 0; i < lines.length && count < FRAMES; i++) {
      const line = lines[i];
      if (StringPrototypeIncludes(line, "ext:cofferdam/")) continue;
      if (StringPrototypeIncludes(line, "ext:core/")) continue;
      out += `\n${line}`;
      count++;
    }
    return out;
  }

  /** Frames of an object that Error.captureStackTrace has marked. */
  function callers(marked) {
    const stack = stackOf(marked) ?? "";
    const start = StringPrototypeIndexOf(stack, "\n    at ");
    return start === -1 ? "" : framesText(StringPrototypeSlice(stack, start + 1));
  }

  internals.facts = {
    __proto__: null,
    callers,
    className,
    errorFrames,
    errorHead,
    errorMessage,
    errorName,
    errorText,
    functionText,
    keysOf,
    namedKeysOf,
    regExpText,
    stackHead,
    tagOf,
    unwrap,
  };
})(globalThis);
