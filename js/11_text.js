// TextEncoder and TextDecoder, as the Encoding Standard has them; utf-8 is the only encoding.
//
// Bytes that a script receives are copied into a buffer of the isolate's own allocator: what
// deno_core's encoder returns lies outside of it, where the `ArrayBuffer` limit would not count it.
"use strict";

((globalThis) => {
  const { core, primordials, internals } = globalThis.__bootstrap;
  const {
    RangeError,
    StringPrototypeCharCodeAt,
    StringPrototypeIncludes,
    StringPrototypeSlice,
    StringPrototypeToLowerCase,
    StringPrototypeToWellFormed,
    TypedArrayPrototypeGetLength,
    TypedArrayPrototypeGetSymbolToStringTag,
    TypedArrayPrototypeSet,
    TypedArrayPrototypeGetBuffer,
    TypedArrayPrototypeGetByteOffset,
    TypeError,
    Uint8Array,
  } = primordials;
  const { bytesOf, expose, need, tag } = internals;

  /** UTF-8 of a string, lone surrogates replaced. */
  function encode(text) {
    return core.encode(StringPrototypeToWellFormed(text));
  }

  /** Part of a byte array, without copying. */
  function part(bytes, from, to) {
    const offset = TypedArrayPrototypeGetByteOffset(bytes) + from;
    return new Uint8Array(TypedArrayPrototypeGetBuffer(bytes), offset, to - from);
  }

  function join(first, second) {
    const length = TypedArrayPrototypeGetLength(first);
    const both = new Uint8Array(length + TypedArrayPrototypeGetLength(second));
    TypedArrayPrototypeSet(both, first, 0);
    TypedArrayPrototypeSet(both, second, length);
    return both;
  }

  /** The byte order mark. */
  const MARK = new Uint8Array(3);
  MARK[0] = 0xef;
  MARK[1] = 0xbb;
  MARK[2] = 0xbf;

  /** Decodes UTF-8, replacing what is malformed. A byte order mark stays. */
  function decode(bytes) {
    if (TypedArrayPrototypeGetLength(bytes) === 0) return "";
    // deno_core drops one mark, so it gets a second one.
    const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
    return core.decode(marked ? join(MARK, bytes) : bytes);
  }

  /** Length of the sequence at `at`; 0 if it is malformed, -1 if the bytes end inside it. */
  function sequence(bytes, at, end) {
    const lead = bytes[at];
    if (lead < 0x80) return 1;
    if (lead < 0xc2 || lead > 0xf4) return 0;
    const size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    let low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
    let high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
    for (let i = 1; i < size; i++) {
      if (at + i >= end) return -1;
      const byte = bytes[at + i];
      if (byte < low || byte > high) return 0;
      low = 0x80;
      high = 0xbf;
    }
    return size;
  }

  function isWellFormed(bytes) {
    const end = TypedArrayPrototypeGetLength(bytes);
    for (let at = 0; at < end;) {
      const size = sequence(bytes, at, end);
      if (size <= 0) return false;
      at += size;
    }
    return true;
  }

  /** How many bytes at the end begin a sequence that later bytes may complete. */
  function unfinished(bytes) {
    const end = TypedArrayPrototypeGetLength(bytes);
    for (let size = end < 3 ? end : 3; size > 0; size--) {
      if (sequence(bytes, end - size, end) === -1) return size;
    }
    return 0;
  }

  class TextEncoder {
    // Methods of a wrong receiver throw, as on the platform.
    #brand;

    get encoding() {
      this.#brand;
      return "utf-8";
    }

    encode(input = "") {
      this.#brand;
      const encoded = encode(`${input}`);
      const bytes = new Uint8Array(TypedArrayPrototypeGetLength(encoded));
      TypedArrayPrototypeSet(bytes, encoded, 0);
      return bytes;
    }

    encodeInto(source, destination) {
      this.#brand;
      need(2, arguments.length, "TextEncoder.encodeInto");
      source = StringPrototypeToWellFormed(`${source}`);
      if (TypedArrayPrototypeGetSymbolToStringTag(destination) !== "Uint8Array") {
        throw new TypeError("TextEncoder.encodeInto writes into a Uint8Array");
      }
      const room = TypedArrayPrototypeGetLength(destination);
      let read = 0;
      let written = 0;
      while (read < source.length) {
        let code = StringPrototypeCharCodeAt(source, read);
        const units = code >= 0xd800 && code <= 0xdfff ? 2 : 1;
        const size = code < 0x80 ? 1 : code < 0x800 ? 2 : units === 1 ? 3 : 4;
        if (written + size > room) break;
        if (size === 1) {
          destination[written] = code;
        } else {
          if (units === 2) {
            const next = StringPrototypeCharCodeAt(source, read + 1);
            code = 0x10000 + ((code & 0x3ff) << 10) + (next & 0x3ff);
          }
          for (let i = size - 1; i > 0; i--) {
            destination[written + i] = 0x80 | (code & 0x3f);
            code >>= 6;
          }
          destination[written] = ((0xf00 >> size) & 0xff) | code;
        }
        read += units;
        written += size;
      }
      return { read, written };
    }
  }
  tag(TextEncoder.prototype, "TextEncoder");
  expose("TextEncoder", TextEncoder);

  function isSpace(code) {
    return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0c || code === 0x0d;
  }

  const LABELS = {
    __proto__: null,
    "unicode-1-1-utf-8": true,
    "unicode11utf8": true,
    "unicode20utf8": true,
    "utf-8": true,
    "utf8": true,
    "x-unicode20utf8": true,
  };

  class TextDecoder {
    #fatal;
    #ignoreBOM;
    #streaming = false;
    #started = false;
    #rest = new Uint8Array(0);

    constructor(label = "utf-8", options = undefined) {
      label = `${label}`;
      let from = 0;
      let to = label.length;
      while (from < to && isSpace(StringPrototypeCharCodeAt(label, from))) from++;
      while (from < to && isSpace(StringPrototypeCharCodeAt(label, to - 1))) to--;
      if (!LABELS[StringPrototypeToLowerCase(StringPrototypeSlice(label, from, to))]) {
        const shown = StringPrototypeSlice(label, 0, 40);
        throw new RangeError(`TextDecoder knows utf-8 only, not "${shown}"`);
      }
      this.#fatal = options != null && !!options.fatal;
      this.#ignoreBOM = options != null && !!options.ignoreBOM;
    }

    get encoding() {
      this.#fatal;
      return "utf-8";
    }

    get fatal() {
      return this.#fatal;
    }

    get ignoreBOM() {
      return this.#ignoreBOM;
    }

    decode(input = undefined, options = undefined) {
      if (!this.#streaming) this.#reset();
      const streaming = options != null && !!options.stream;
      let bytes = input === undefined ? new Uint8Array(0) : bytesOf(input, "TextDecoder.decode");
      if (TypedArrayPrototypeGetLength(this.#rest) > 0) bytes = join(this.#rest, bytes);
      this.#streaming = streaming;
      this.#rest = new Uint8Array(0);
      if (streaming) {
        const end = TypedArrayPrototypeGetLength(bytes);
        const cut = end - unfinished(bytes);
        // A copy, since the script may change its buffer before the next part comes.
        this.#rest = join(part(bytes, cut, end), this.#rest);
        bytes = part(bytes, 0, cut);
      }
      let text = decode(bytes);
      if (this.#fatal && StringPrototypeIncludes(text, "\uFFFD") && !isWellFormed(bytes)) {
        this.#streaming = false;
        throw new TypeError("the bytes are not valid utf-8");
      }
      if (!this.#started && text !== "") {
        this.#started = true;
        if (!this.#ignoreBOM && StringPrototypeCharCodeAt(text, 0) === 0xfeff) {
          text = StringPrototypeSlice(text, 1);
        }
      }
      return text;
    }

    #reset() {
      this.#started = false;
      this.#rest = new Uint8Array(0);
    }
  }
  tag(TextDecoder.prototype, "TextDecoder");
  expose("TextDecoder", TextDecoder);

  internals.encodeUtf8 = encode;
  internals.decodeUtf8 = decode;
  internals.isSpace = isSpace;
})(globalThis);
