// atob and btoa: base64 as the web has it, forgiving white space and missing padding (Infra §8).
"use strict";

((globalThis) => {
  const { core, primordials, internals } = globalThis.__bootstrap;
  const { StringPrototypeCharCodeAt, Uint8Array } = primordials;
  const { DOMException, expose, isSpace, need } = internals;

  const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const PAD = 0x3d;
  /** Character codes of the digits, and the digits' values by character code; 255 for none. */
  const ALPHABET = new Uint8Array(64);
  const VALUES = new Uint8Array(256);
  for (let i = 0; i < 256; i++) VALUES[i] = 255;
  for (let i = 0; i < 64; i++) {
    ALPHABET[i] = StringPrototypeCharCodeAt(DIGITS, i);
    VALUES[ALPHABET[i]] = i;
  }

  function badCharacter(message) {
    return new DOMException(message, "InvalidCharacterError");
  }

  /** Bytes of a base64 string, or null. */
  function fromBase64(data) {
    const clean = new Uint8Array(data.length);
    let length = 0;
    for (let i = 0; i < data.length; i++) {
      const code = StringPrototypeCharCodeAt(data, i);
      if (isSpace(code)) continue;
      if (code > 255) return null;
      clean[length++] = code;
    }
    if (length % 4 === 0 && length > 0 && clean[length - 1] === PAD) {
      length -= clean[length - 2] === PAD ? 2 : 1;
    }
    if (length % 4 === 1) return null;
    const bytes = new Uint8Array((length * 6) >> 3);
    let bits = 0;
    let held = 0;
    let at = 0;
    for (let i = 0; i < length; i++) {
      const value = VALUES[clean[i]];
      if (value === 255) return null;
      bits = ((bits << 6) | value) & 0xffff;
      held += 6;
      if (held >= 8) {
        held -= 8;
        bytes[at++] = bits >> held;
      }
    }
    return bytes;
  }

  const globals = {
    atob(data) {
      need(1, arguments.length, "atob");
      const bytes = fromBase64(`${data}`);
      if (bytes === null) throw badCharacter("the string to be decoded is not correctly encoded");
      return core.encodeBinaryString(bytes);
    },

    btoa(data) {
      need(1, arguments.length, "btoa");
      data = `${data}`;
      const groups = (data.length - (data.length % 3)) / 3 + (data.length % 3 === 0 ? 0 : 1);
      const out = new Uint8Array(groups * 4);
      let at = 0;
      for (let i = 0; i < data.length; i += 3) {
        const left = data.length - i;
        const first = StringPrototypeCharCodeAt(data, i);
        const second = left > 1 ? StringPrototypeCharCodeAt(data, i + 1) : 0;
        const third = left > 2 ? StringPrototypeCharCodeAt(data, i + 2) : 0;
        if (first > 255 || second > 255 || third > 255) {
          throw badCharacter("the string to be encoded has characters outside of Latin-1");
        }
        out[at++] = ALPHABET[first >> 2];
        out[at++] = ALPHABET[((first & 3) << 4) | (second >> 4)];
        out[at++] = left > 1 ? ALPHABET[((second & 15) << 2) | (third >> 6)] : PAD;
        out[at++] = left > 2 ? ALPHABET[third & 63] : PAD;
      }
      return core.encodeBinaryString(out);
    },
  };
  expose("atob", globals.atob);
  expose("btoa", globals.btoa);
})(globalThis);
