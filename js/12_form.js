// The form encoding that search parameters have (URL Standard §5), and what it is made of.
"use strict";

((globalThis) => {
  const { primordials, internals } = globalThis.__bootstrap;
  const {
    ArrayPrototypePush,
    NumberPrototypeToString,
    StringFromCharCode,
    StringPrototypeIndexOf,
    StringPrototypeSlice,
    StringPrototypeToUpperCase,
    StringPrototypeToWellFormed,
    TypedArrayPrototypeGetBuffer,
    TypedArrayPrototypeGetLength,
    Uint8Array,
  } = primordials;
  const { decodeUtf8, encodeUtf8, list } = internals;

  /** Any value as a string of Unicode scalar values. */
  function scalars(value) {
    return StringPrototypeToWellFormed(`${value}`);
  }

  /** Cuts a string at a separator; not String.prototype.split, which asks the separator how. */
  function cut(text, separator) {
    const parts = list();
    let from = 0;
    for (;;) {
      const to = StringPrototypeIndexOf(text, separator, from);
      if (to === -1) break;
      ArrayPrototypePush(parts, StringPrototypeSlice(text, from, to));
      from = to + 1;
    }
    ArrayPrototypePush(parts, StringPrototypeSlice(text, from));
    return parts;
  }

  const PLUS = 0x2b;
  const PERCENT = 0x25;

  /** What stands for each byte. */
  const ENCODED = list();
  for (let i = 0; i < 256; i++) {
    const plain = i === 0x2a || i === 0x2d || i === 0x2e || i === 0x5f ||
      (i >= 0x30 && i <= 0x39) || (i >= 0x41 && i <= 0x5a) || (i >= 0x61 && i <= 0x7a);
    const hex = StringPrototypeToUpperCase(NumberPrototypeToString(i, 16));
    const escaped = `%${i < 16 ? "0" : ""}${hex}`;
    const shown = i === 0x20 ? "+" : plain ? StringFromCharCode(i) : escaped;
    ArrayPrototypePush(ENCODED, shown);
  }

  function escape(text) {
    const bytes = encodeUtf8(text);
    const length = TypedArrayPrototypeGetLength(bytes);
    let out = "";
    for (let i = 0; i < length; i++) out += ENCODED[bytes[i]];
    return out;
  }

  function digit(code) {
    if (code >= 0x30 && code <= 0x39) return code - 0x30;
    code |= 0x20;
    return code >= 0x61 && code <= 0x66 ? code - 0x57 : -1;
  }

  function unescape(text) {
    const bytes = encodeUtf8(text);
    const length = TypedArrayPrototypeGetLength(bytes);
    let size = 0;
    for (let i = 0; i < length; i++) {
      let byte = bytes[i];
      if (byte === PLUS) {
        byte = 0x20;
      } else if (byte === PERCENT && i + 2 < length) {
        const high = digit(bytes[i + 1]);
        const low = digit(bytes[i + 2]);
        if (high !== -1 && low !== -1) {
          byte = high * 16 + low;
          i += 2;
        }
      }
      bytes[size++] = byte;
    }
    return decodeUtf8(new Uint8Array(TypedArrayPrototypeGetBuffer(bytes), 0, size));
  }

  function pair(name, value) {
    return { __proto__: null, name, value };
  }

  function parseQuery(text) {
    const pairs = list();
    const parts = cut(text, "&");
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i];
      if (part === "") continue;
      const at = StringPrototypeIndexOf(part, "=");
      const name = at === -1 ? part : StringPrototypeSlice(part, 0, at);
      const value = at === -1 ? "" : StringPrototypeSlice(part, at + 1);
      ArrayPrototypePush(pairs, pair(unescape(name), unescape(value)));
    }
    return pairs;
  }

  function printQuery(pairs) {
    let out = "";
    for (let i = 0; i < pairs.length; i++) {
      out += `${i === 0 ? "" : "&"}${escape(pairs[i].name)}=${escape(pairs[i].value)}`;
    }
    return out;
  }

  internals.cut = cut;
  internals.scalars = scalars;
  internals.form = { __proto__: null, pair, parseQuery, printQuery };
})(globalThis);
