// Prints any value as a person wants to read it, in the manner people know from Node.
//
// Looking runs no code of the script (see 21_facts.js): getters are named and not called, a proxy
// is shown as its target, and there are no hooks for a class to print itself. Looking also ends:
// depth, entries and length have bounds, and what is left out is counted.
"use strict";

((globalThis) => {
  const { core, primordials, internals } = globalThis.__bootstrap;
  const {
    ArrayBufferIsView,
    ArrayBufferPrototypeGetByteLength,
    ArrayIsArray,
    ArrayPrototype,
    ArrayPrototypePop,
    ArrayPrototypePush,
    BigIntPrototypeValueOf,
    BooleanPrototypeValueOf,
    DataViewPrototypeGetBuffer,
    DataViewPrototypeGetByteLength,
    DataViewPrototypeGetByteOffset,
    DatePrototypeGetTime,
    DatePrototypeToISOString,
    MapIteratorPrototypeNext,
    MapPrototypeEntries,
    MapPrototypeGetSize,
    MathMin,
    NumberPrototypeToString,
    NumberPrototypeValueOf,
    ObjectHasOwn,
    ObjectIs,
    ObjectPrototype,
    ReflectGetOwnPropertyDescriptor,
    ReflectGetPrototypeOf,
    SafeMap,
    SetIteratorPrototypeNext,
    SetPrototypeGetSize,
    SetPrototypeValues,
    StringPrototypePadStart,
    StringPrototypeValueOf,
    SymbolPrototypeValueOf,
    TypedArrayPrototypeGetLength,
    TypedArrayPrototypeGetSymbolToStringTag,
  } = primordials;
  const { bytesOf, facts, layout, list, ownValue, views } = internals;
  const { className, errorHead, errorText, functionText, keysOf, namedKeysOf, regExpText } = facts;
  const { tagOf, unwrap } = facts;
  const { enclose, indentRest, keyText, plural, quote, shorten, symbolText } = layout;

  const DEPTH = 4;
  /** Entries of an array, map or set that are shown. */
  const ENTRIES = 100;
  /** Characters of one printed value. */
  const LENGTH = 262144;
  const BUFFER_BYTES = 50;
  /** Positions of an array with holes that are looked at. */
  const HOLES = 1000000;
  /** Beyond this, decimal digits take longer to compute than anybody wants to read. */
  const BIG = 10n ** 10000n;

  function inspect(value, depth = DEPTH) {
    const state = {
      __proto__: null,
      depth,
      /** Objects that are being printed, outermost first. */
      path: list(),
      /** Numbers of the objects that something inside of them refers to. */
      circular: new SafeMap(),
      /** Characters that may still be printed. */
      room: LENGTH,
    };
    return shorten(print(state, value, 0, 0), LENGTH);
  }

  function spend(state, text) {
    state.room -= text.length;
    return text;
  }

  function print(state, value, level, indent) {
    if (typeof value === "function" || (typeof value === "object" && value !== null)) {
      return printObject(state, value, level, indent);
    }
    return spend(state, printPrimitive(value));
  }

  function printPrimitive(value) {
    switch (typeof value) {
      case "string":
        return quote(value);
      case "number":
        return ObjectIs(value, -0) ? "-0" : `${value}`;
      case "bigint":
        return value < BIG && value > -BIG ? `${value}n` : "[BigInt of over 10000 digits]";
      case "symbol":
        return symbolText(value);
      default:
        return `${value}`;
    }
  }

  function printObject(state, value, level, indent) {
    value = unwrap(value);
    if (value === null) return spend(state, "<Revoked Proxy>");
    for (let i = 0; i < state.path.length; i++) {
      if (state.path[i] !== value) continue;
      if (!state.circular.has(value)) state.circular.set(value, state.circular.size + 1);
      return spend(state, `[Circular *${state.circular.get(value)}]`);
    }
    ArrayPrototypePush(state.path, value);
    const text = printKind(state, value, level, indent);
    ArrayPrototypePop(state.path);
    return state.circular.has(value) ? `<ref *${state.circular.get(value)}> ${text}` : text;
  }

  function printKind(state, value, level, indent) {
    const deep = level > state.depth;
    if (typeof value === "function") {
      return withFields(state, value, spend(state, functionText(value)), level, indent);
    }
    const prototype = ReflectGetPrototypeOf(value);
    if (ArrayIsArray(value)) {
      const isPlain = prototype === ArrayPrototype;
      if (deep) return spend(state, isPlain ? "[Array]" : `[${title(value, "Array")}]`);
      const prefix = isPlain ? "" : `${title(value, "Array", value.length)} `;
      return printArray(state, value, prefix, level, indent);
    }
    if (prototype !== ObjectPrototype) {
      const text = printBuiltin(state, value, level, indent, deep);
      if (text !== null) return text;
    } else if (core.isArgumentsObject(value)) {
      return deep ? "[Arguments]" : printArray(state, value, "[Arguments] ", level, indent);
    }
    const name = title(value, "Object");
    if (deep) return spend(state, `[${name}]`);
    const prefix = name === "Object" ? "" : `${name} `;
    const entries = list();
    addFields(state, value, keysOf(value), entries, level, indent);
    return enclose(prefix, "{", entries, "}", indent);
  }

  /** The name of an object's class, its size if it has one, and its tag: `Foo(2) [bar]`. */
  function title(value, kind, size = undefined) {
    const name = className(value) ?? `[${kind}: null prototype]`;
    const sized = size === undefined ? name : `${name}(${size})`;
    const tag = tagOf(value);
    return tag === "" || tag === name ? sized : `${sized} [${tag}]`;
  }

  /** Objects with insides that their properties do not show; null for all others. */
  function printBuiltin(state, value, level, indent, deep) {
    if (core.isNativeError(value)) return printError(state, value, level, indent, deep);
    if (core.isDate(value)) {
      const isValid = DatePrototypeGetTime(value) === DatePrototypeGetTime(value);
      const text = isValid ? DatePrototypeToISOString(value) : "Invalid Date";
      return withFields(state, value, spend(state, text), level, indent);
    }
    if (core.isRegExp(value)) {
      return withFields(state, value, spend(state, regExpText(value)), level, indent);
    }
    if (core.isBoxedPrimitive(value)) {
      return withFields(state, value, spend(state, boxText(value)), level, indent);
    }
    const isMap = core.isMap(value);
    if (isMap || core.isSet(value)) {
      const kind = isMap ? "Map" : "Set";
      if (deep) return spend(state, `[${title(value, kind)}]`);
      const size = isMap ? MapPrototypeGetSize(value) : SetPrototypeGetSize(value);
      const entries = list();
      if (isMap) addPairs(state, value, size, entries, level, indent);
      else addMembers(state, value, size, entries, level, indent);
      addFields(state, value, keysOf(value), entries, level, indent);
      return enclose(`${title(value, kind, size)} `, "{", entries, "}", indent);
    }
    if (core.isPromise(value)) {
      if (deep) return spend(state, `[${title(value, "Promise")}]`);
      const entries = list();
      ArrayPrototypePush(entries, promiseText(state, value, level, indent));
      addFields(state, value, keysOf(value), entries, level, indent);
      return enclose(`${title(value, "Promise")} `, "{", entries, "}", indent);
    }
    const kind = TypedArrayPrototypeGetSymbolToStringTag(value);
    if (kind !== undefined) {
      if (deep) return spend(state, `[${title(value, kind)}]`);
      const length = TypedArrayPrototypeGetLength(value);
      return printArray(state, value, `${title(value, kind, length)} `, level, indent, length);
    }
    if (ArrayBufferIsView(value)) return printDataView(state, value, level, indent, deep);
    if (core.isAnyArrayBuffer(value)) return printBuffer(state, value, indent, deep);
    return printPlatform(state, value, level, indent, deep);
  }

  /** URLs and the like, which keep their state in private fields, and weak collections. */
  function printPlatform(state, value, level, indent, deep) {
    for (let i = 0; i < views.length; i++) {
      const view = views[i](value);
      if (view === undefined) continue;
      const name = title(value, "Object");
      if (deep) return spend(state, `[${name}]`);
      const entries = list();
      if (view.fields !== undefined) {
        addFields(state, view.fields, keysOf(view.fields), entries, level, indent);
      } else {
        for (let j = 0; j < view.pairs.length && state.room > 0; j++) {
          const pair = view.pairs[j];
          ArrayPrototypePush(entries, spend(state, `${quote(pair.name)} => ${quote(pair.value)}`));
        }
        addRest(entries, view.pairs.length - entries.length, "item");
      }
      addFields(state, value, keysOf(value), entries, level, indent);
      return enclose(`${name} `, "{", entries, "}", indent);
    }
    const tag = tagOf(value);
    if (tag === "WeakMap" || tag === "WeakSet" || tag === "WeakRef") {
      return spend(state, `${title(value, tag)} { <items unknown> }`);
    }
    return null;
  }

  function addRest(entries, count, noun) {
    if (count > 0) ArrayPrototypePush(entries, `... ${plural(count, noun)}`);
  }

  /** A text that stands for the whole object, then its own properties if it has any. */
  function withFields(state, value, text, level, indent) {
    const keys = namedKeysOf(value);
    if (keys.length === 0 || level > state.depth) return text;
    const entries = list();
    addFields(state, value, keys, entries, level, indent);
    return enclose(`${text} `, "{", entries, "}", indent);
  }

  function addFields(state, object, keys, entries, level, indent) {
    for (let i = 0; i < keys.length; i++) {
      if (state.room <= 0) {
        addRest(entries, keys.length - i, "property");
        return;
      }
      const label = spend(state, `${keyText(keys[i])}: `);
      ArrayPrototypePush(entries, label + printField(state, object, keys[i], level, indent));
    }
  }

  function printField(state, object, key, level, indent) {
    const property = ReflectGetOwnPropertyDescriptor(object, key);
    if (property === undefined) return "undefined";
    if (ObjectHasOwn(property, "value")) {
      return print(state, property.value, level + 1, indent + 2);
    }
    if (property.get === undefined) return "[Setter]";
    return property.set === undefined ? "[Getter]" : "[Getter/Setter]";
  }

  /** Arrays, typed arrays (with their length) and `arguments`. */
  function printArray(state, value, prefix, level, indent, typedLength = undefined) {
    const length = typedLength ?? lengthOf(value);
    const entries = list();
    let numeric = true;
    let at = 0;
    const end = MathMin(length, HOLES);
    while (at < end && entries.length < ENTRIES && state.room > 0) {
      if (typedLength !== undefined) {
        ArrayPrototypePush(entries, spend(state, printPrimitive(value[at])));
        at++;
      } else if (ObjectHasOwn(value, at)) {
        const property = ReflectGetOwnPropertyDescriptor(value, at);
        const type = typeof property.value;
        if (type !== "number" && type !== "bigint") numeric = false;
        ArrayPrototypePush(entries, printField(state, value, at, level, indent));
        at++;
      } else {
        const from = at;
        while (at < end && !ObjectHasOwn(value, at)) at++;
        const holes = at - from;
        const noun = holes === 1 ? "item" : "items";
        ArrayPrototypePush(entries, spend(state, `<${holes} empty ${noun}>`));
        numeric = false;
      }
    }
    const row = { __proto__: null, count: entries.length, numeric };
    addRest(entries, length - at, "item");
    addFields(state, value, namedKeysOf(value), entries, level, indent);
    return enclose(prefix, "[", entries, "]", indent, row);
  }

  function lengthOf(value) {
    const length = ownValue(value, "length");
    return typeof length === "number" && length > 0 ? length : 0;
  }

  function addPairs(state, map, size, entries, level, indent) {
    const walk = MapPrototypeEntries(map);
    for (let i = 0; i < ENTRIES && state.room > 0; i++) {
      const step = MapIteratorPrototypeNext(walk);
      if (step.done) break;
      const key = print(state, step.value[0], level + 1, indent + 2);
      const value = print(state, step.value[1], level + 1, indent + 2);
      ArrayPrototypePush(entries, `${key} => ${value}`);
    }
    addRest(entries, size - entries.length, "item");
  }

  function addMembers(state, set, size, entries, level, indent) {
    const walk = SetPrototypeValues(set);
    for (let i = 0; i < ENTRIES && state.room > 0; i++) {
      const step = SetIteratorPrototypeNext(walk);
      if (step.done) break;
      ArrayPrototypePush(entries, print(state, step.value, level + 1, indent + 2));
    }
    addRest(entries, size - entries.length, "item");
  }

  function promiseText(state, promise, level, indent) {
    const details = core.getPromiseDetails(promise);
    const status = ownValue(details, "0");
    if (status !== 1 && status !== 2) return spend(state, "<pending>");
    const result = print(state, ownValue(details, "1"), level + 1, indent + 2);
    return status === 2 ? `<rejected> ${result}` : result;
  }

  function boxText(value) {
    // Each throws for boxes that are not its own.
    try {
      return `[Number: ${printPrimitive(NumberPrototypeValueOf(value))}]`;
    } catch { /* the next */ }
    try {
      return `[String: ${quote(StringPrototypeValueOf(value))}]`;
    } catch { /* the next */ }
    try {
      return `[Boolean: ${BooleanPrototypeValueOf(value)}]`;
    } catch { /* the next */ }
    try {
      return `[BigInt: ${printPrimitive(BigIntPrototypeValueOf(value))}]`;
    } catch { /* the next */ }
    return `[Symbol: ${symbolText(SymbolPrototypeValueOf(value))}]`;
  }

  function printDataView(state, view, level, indent, deep) {
    const name = title(view, "DataView");
    if (deep) return spend(state, `[${name}]`);
    const fields = { __proto__: null };
    try {
      fields.byteLength = DataViewPrototypeGetByteLength(view);
      fields.byteOffset = DataViewPrototypeGetByteOffset(view);
    } catch { /* its buffer is gone */ }
    fields.buffer = DataViewPrototypeGetBuffer(view);
    const entries = list();
    addFields(state, fields, keysOf(fields), entries, level, indent);
    return enclose(`${name} `, "{", entries, "}", indent);
  }

  function printBuffer(state, buffer, indent, deep) {
    const name = title(buffer, "ArrayBuffer");
    if (deep) return spend(state, `[${name}]`);
    const length = ArrayBufferPrototypeGetByteLength(buffer);
    const bytes = bytesOf(buffer);
    let shown = "";
    for (let i = 0; i < length && i < BUFFER_BYTES; i++) {
      const hex = StringPrototypePadStart(NumberPrototypeToString(bytes[i], 16), 2, "0");
      shown += i === 0 ? hex : ` ${hex}`;
    }
    if (length > BUFFER_BYTES) shown += ` ... ${plural(length - BUFFER_BYTES, "byte")}`;
    const entries = list();
    ArrayPrototypePush(entries, spend(state, `[Uint8Contents]: <${shown}>`));
    ArrayPrototypePush(entries, spend(state, `byteLength: ${length}`));
    return enclose(`${name} `, "{", entries, "}", indent);
  }

  function printError(state, error, level, indent, deep) {
    if (deep) return spend(state, `[${errorHead(error)}]`);
    const text = spend(state, indentRest(errorText(error), indent));
    const entries = list();
    const keys = namedKeysOf(error);
    const shown = list();
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      if (key === "stack" || key === "message" || key === "cause" || key === "errors") continue;
      if (key === "name" && typeof ownValue(error, "name") === "string") continue;
      ArrayPrototypePush(shown, key);
    }
    addFields(state, error, shown, entries, level, indent);
    addHidden(state, error, "cause", entries, level, indent);
    addHidden(state, error, "errors", entries, level, indent);
    return entries.length === 0 ? text : enclose(`${text} `, "{", entries, "}", indent);
  }

  /** A property that errors keep out of their enumerable ones. */
  function addHidden(state, error, key, entries, level, indent) {
    if (!ObjectHasOwn(error, key) || state.room <= 0) return;
    const label = spend(state, `[${key}]: `);
    ArrayPrototypePush(entries, label + printField(state, error, key, level, indent));
  }

  internals.inspectValue = inspect;
  /** The text that console.log prints for one value. */
  internals.inspect = (value) => typeof value === "string" ? value : inspect(value);
  internals.printPrimitive = printPrimitive;
})(globalThis);
