// Prints objects with insides that their properties do not show: errors, dates, collections,
// promises, buffers, boxes, and the platform's own objects.
"use strict";

((globalThis) => {
  const { core, primordials, internals } = globalThis.__bootstrap;
  const {
    ArrayBufferIsView,
    ArrayBufferPrototypeGetByteLength,
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
    NumberPrototypeToString,
    NumberPrototypeValueOf,
    ObjectHasOwn,
    SetIteratorPrototypeNext,
    SetPrototypeGetSize,
    SetPrototypeValues,
    StringPrototypePadStart,
    StringPrototypeValueOf,
    SymbolPrototypeValueOf,
    TypedArrayPrototypeGetLength,
    TypedArrayPrototypeGetSymbolToStringTag,
  } = primordials;
  const { bytesOf, facts, layout, list, ownValue, printing, views } = internals;
  const { errorHead, errorText, keysOf, namedKeysOf, regExpText, tagOf } = facts;
  const { enclose, indentRest, plural, quote, symbolText } = layout;
  const { add, addFields, addRest, ENTRIES, print, printArray, printField } = printing;
  const { printPrimitive, spend, title, withFields } = printing;

  const BUFFER_BYTES = 50;

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
          const text = `${quote(pair.name)} => ${quote(pair.value)}`;
          add(state, entries, indent, spend(state, text));
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

  function addPairs(state, map, size, entries, level, indent) {
    const walk = MapPrototypeEntries(map);
    for (let i = 0; i < ENTRIES && state.room > 0; i++) {
      const step = MapIteratorPrototypeNext(walk);
      if (step.done) break;
      const key = print(state, step.value[0], level + 1, indent + 2);
      const value = print(state, step.value[1], level + 1, indent + 2);
      add(state, entries, indent, `${key} => ${value}`);
    }
    addRest(entries, size - entries.length, "item");
  }

  function addMembers(state, set, size, entries, level, indent) {
    const walk = SetPrototypeValues(set);
    for (let i = 0; i < ENTRIES && state.room > 0; i++) {
      const step = SetIteratorPrototypeNext(walk);
      if (step.done) break;
      add(state, entries, indent, print(state, step.value, level + 1, indent + 2));
    }
    addRest(entries, size - entries.length, "item");
  }

  function promiseText(state, promise, level, indent) {
    const details = core.getPromiseDetails(promise);
    const status = ownValue(details, "0");
    if (status !== 1 && status !== 2) {
      internals.pendingSeen = true;
      return spend(state, "<pending>");
    }
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

  internals.printBuiltin = printBuiltin;
})(globalThis);
