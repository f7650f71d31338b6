// Prints any value as a person wants to read it, in the manner people know from Node.
//
// Looking runs no code of the script (see 21_facts.js): getters are named and not called, a proxy
// is shown as its target, and there are no hooks for a class to print itself. Looking also ends:
// depth, entries and length have bounds, and what is left out is counted.
"use strict";

((globalThis) => {
  const { core, primordials, internals } = globalThis.__bootstrap;
  const {
    ArrayIsArray,
    ArrayPrototype,
    ArrayPrototypePop,
    ArrayPrototypePush,
    MathMin,
    ObjectHasOwn,
    ObjectIs,
    ObjectPrototype,
    ReflectGetOwnPropertyDescriptor,
    ReflectGetPrototypeOf,
    SafeMap,
  } = primordials;
  const { facts, layout, list, ownValue } = internals;
  const { className, functionText, keysOf, namedKeysOf, tagOf, unwrap } = facts;
  const { enclose, keyText, plural, quote, shorten, symbolText } = layout;

  const DEPTH = 4;
  /** Entries of an array, map or set that are shown. */
  const ENTRIES = 100;
  /** Characters of one printed value. */
  const LENGTH = 262144;
  /** When so many are printed, nothing is begun any more; less than LENGTH, for the marks. */
  const ROOM = 250000;
  /** Positions without an entry that are looked at, in all arrays together. */
  const HOLES = 1000000;
  /** Beyond this, decimal digits take longer to compute than anybody wants to read. */
  const BIG = 10n ** 10000n;

  function inspect(value, depth = DEPTH, room = ROOM) {
    const state = {
      __proto__: null,
      depth,
      /** Objects that are being printed, outermost first. */
      path: list(),
      /** Numbers of the objects that something inside of them refers to. */
      circular: new SafeMap(),
      /** Characters that may still be printed. */
      room,
      /** Positions without an entry that may still be looked at. */
      holes: HOLES,
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
      const text = internals.printBuiltin(state, value, level, indent, deep);
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
    const known = className(value);
    const bare = ReflectGetPrototypeOf(value) === null ? `[${kind}: null prototype]` : kind;
    const name = known ?? bare;
    const sized = size === undefined ? name : `${name}(${size})`;
    const tag = tagOf(value);
    return tag === "" || tag === name ? sized : `${sized} [${tag}]`;
  }

  /** Adds one entry, which also takes a margin and a comma. */
  function add(state, entries, indent, text) {
    state.room -= indent + 4;
    ArrayPrototypePush(entries, text);
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
    // Listing the keys was work too, even if few of them are printed.
    state.room -= keys.length >> 4;
    for (let i = 0; i < keys.length; i++) {
      if (state.room <= 0) {
        addRest(entries, keys.length - i, "property");
        return;
      }
      const label = spend(state, `${keyText(keys[i])}: `);
      add(state, entries, indent, label + printField(state, object, keys[i], level, indent));
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
    while (at < length && entries.length < ENTRIES && state.room > 0 && state.holes > 0) {
      if (typedLength !== undefined) {
        add(state, entries, 0, spend(state, printPrimitive(value[at])));
        at++;
      } else if (ObjectHasOwn(value, at)) {
        const property = ReflectGetOwnPropertyDescriptor(value, at);
        const type = typeof property.value;
        if (type !== "number" && type !== "bigint") numeric = false;
        add(state, entries, indent, printField(state, value, at, level, indent));
        at++;
      } else {
        const from = at;
        const end = MathMin(length, at + state.holes);
        while (at < end && !ObjectHasOwn(value, at)) at++;
        const holes = at - from;
        state.holes -= holes;
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

  internals.printing = {
    __proto__: null,
    add,
    addFields,
    addRest,
    ENTRIES,
    print,
    printArray,
    printField,
    printPrimitive,
    spend,
    title,
    withFields,
  };
  internals.inspectValue = inspect;
  /** The text that console.log prints for one value. */
  internals.inspect = (value) => typeof value === "string" ? value : inspect(value);
})(globalThis);
