// crypto.getRandomValues and crypto.randomUUID (Web Cryptography §10) and performance.now (High
// Resolution Time). No crypto.subtle: a script has no keys.
//
// Random bytes and the clock come from the host, which makes the clock coarse.
"use strict";

((globalThis) => {
  const { core, primordials, internals } = globalThis.__bootstrap;
  const {
    ArrayPrototypePush,
    DateNow,
    MathRound,
    NumberPrototypeToString,
    TypedArrayPrototypeGetByteLength,
    TypedArrayPrototypeGetSymbolToStringTag,
    TypeError,
    Uint8Array,
  } = primordials;
  const { op_now, op_random } = core.ops;
  const { bytesOf, DOMException, expose, list, need, tag } = internals;

  const QUOTA_BYTES = 65536;
  const INTEGERS = {
    __proto__: null,
    Int8Array: true,
    Uint8Array: true,
    Uint8ClampedArray: true,
    Int16Array: true,
    Uint16Array: true,
    Int32Array: true,
    Uint32Array: true,
    BigInt64Array: true,
    BigUint64Array: true,
  };

  /** Every byte as two hexadecimal digits. */
  const HEX = list();
  for (let i = 0; i < 256; i++) {
    ArrayPrototypePush(HEX, (i < 16 ? "0" : "") + NumberPrototypeToString(i, 16));
  }

  function fill(bytes) {
    // A failure must not pass for zeros.
    if (op_random(bytes) === false) {
      throw new DOMException("the host has no random bytes", "OperationError");
    }
  }

  const secret = { __proto__: null };

  class Crypto {
    #brand;

    constructor(key = undefined) {
      if (key !== secret) throw new TypeError("there is one Crypto, the global `crypto`");
    }

    getRandomValues(array) {
      this.#brand;
      need(1, arguments.length, "crypto.getRandomValues");
      const kind = TypedArrayPrototypeGetSymbolToStringTag(array);
      if (kind === undefined || !INTEGERS[kind]) {
        const message = "crypto.getRandomValues takes a typed array of integers";
        if (kind === undefined) throw new TypeError(message);
        throw new DOMException(message, "TypeMismatchError");
      }
      const length = TypedArrayPrototypeGetByteLength(array);
      if (length > QUOTA_BYTES) {
        throw new DOMException(
          `${length} bytes asked for, crypto.getRandomValues gives ${QUOTA_BYTES} at once`,
          "QuotaExceededError",
        );
      }
      if (length > 0) fill(bytesOf(array));
      return array;
    }

    randomUUID() {
      this.#brand;
      const bytes = new Uint8Array(16);
      fill(bytes);
      bytes[6] = (bytes[6] & 0x0f) | 0x40;
      bytes[8] = (bytes[8] & 0x3f) | 0x80;
      let text = "";
      for (let i = 0; i < 16; i++) {
        if (i === 4 || i === 6 || i === 8 || i === 10) text += "-";
        text += HEX[bytes[i]];
      }
      return text;
    }
  }
  tag(Crypto.prototype, "Crypto");
  expose("crypto", new Crypto(secret));

  function startTime() {
    return internals.fixed ?? MathRound(DateNow() - op_now());
  }

  class Performance {
    #origin = null;

    constructor(key = undefined) {
      if (key !== secret) throw new TypeError("there is one Performance, the global `performance`");
    }

    now() {
      this.#origin;
      return op_now();
    }

    /** Unix time in milliseconds at which `now` was 0. Asked for late: a snapshot has no clock. */
    get timeOrigin() {
      this.#origin ??= startTime();
      return this.#origin;
    }

    toJSON() {
      this.#origin ??= startTime();
      return { timeOrigin: this.#origin };
    }
  }
  tag(Performance.prototype, "Performance");
  expose("performance", new Performance(secret));
})(globalThis);
