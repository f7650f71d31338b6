// Every kind of malformed UTF-8: how many replacements, and `fatal`.
const cases = [[0xff], [0xc0], [0xc0, 0x00], [0xc0, 0xc0], [0xe0], [0xe0, 0x00], [0xe0, 0x80, 0x00], [0xe0, 0x80, 0xc0], [0xe0, 0xa0], [0xe0, 0xa0, 0x41], [0xf0, 0x80, 0x80, 0x80], [0xf0, 0x90], [0xf0, 0x90, 0x80], [0xf0, 0x9f, 0x98, 0x41], [0xf4, 0x90, 0x80, 0x80], [0xf8, 0x80, 0x80, 0x80, 0x80], [0xfc, 0x80, 0x80, 0x80, 0x80, 0x80], [0xed, 0xa0, 0x80], [0xed, 0xbf, 0xbf], [0xed, 0x9f, 0xbf], [0xc1, 0xbf], [0x80], [0xbf, 0xbf], [0xe2, 0x82, 0xac, 0xe2, 0x82], [0xef, 0xbb, 0xbf], [0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf, 0x61], [0xef, 0xbb], [0x61, 0xef, 0xbb, 0xbf], [0xf4, 0x8f, 0xbf, 0xbf], [0xc2, 0xa2, 0x00]];
for (const bytes of cases) {
  let fatal; try { fatal = JSON.stringify(new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array(bytes))); } catch (error) { fatal = error.name; }
  const stream = new TextDecoder(); let streamed = ""; for (const byte of bytes) streamed += stream.decode(new Uint8Array([byte]), { stream: true }); streamed += stream.decode();
  const whole = new TextDecoder().decode(new Uint8Array(bytes));
  console.log(bytes.map((byte) => byte.toString(16)).join(" "), JSON.stringify(whole).replace(/\ufffd/g, "?"), fatal, streamed === whole);
}
const decoder = new TextDecoder("utf-8", { fatal: true });
for (const step of [[[0xe2], true], [[0x41], false], [[0x42], false], [[0xe2, 0x82], true], [[0xac], false]]) { try { console.log(JSON.stringify(decoder.decode(new Uint8Array(step[0]), { stream: step[1] }))); } catch (error) { console.log(error.name); } }
console.log(new TextDecoder().decode(), new TextDecoder().decode(undefined).length, new TextDecoder().fatal, new TextDecoder("utf-8", { ignoreBOM: 1, fatal: "" }).ignoreBOM, Object.keys(new TextDecoder()).length);
for (const bad of [null, "text", 1, {}, []]) { try { console.log(JSON.stringify(new TextDecoder().decode(bad))); } catch (error) { console.log(error.name); } }
const encoder = new TextEncoder(), into = (text, size) => { const room = new Uint8Array(size); const { read, written } = encoder.encodeInto(text, room); return [read, written, [...room].map((byte) => byte.toString(16)).join(" ")]; };
console.log(into("abc", 2), into("\u00e9x", 1), into("\ud83d\ude00", 3), into("\ud83d\ude00", 4), into("\ud800", 3), into("\ud800x", 2), into("a\0b", 3), into("", 0));
console.log([...encoder.encode("\udc00\ud800")].join(), encoder.encode(undefined).length, encoder.encode(null).length, encoder.encode(12).length, TextEncoder.prototype.encode.length);
try { encoder.encodeInto("a", new Uint16Array(1)); } catch (error) { console.log(error.name); }
