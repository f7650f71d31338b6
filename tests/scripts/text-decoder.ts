// Replacement, fatal, the byte order mark, streams cut inside a character, and unknown encodings.
const bytes = (...values: number[]) => new Uint8Array(values);
const decoder = new TextDecoder();
console.log(decoder.encoding, decoder.fatal, decoder.ignoreBOM);
console.log(JSON.stringify(decoder.decode(bytes(0x61, 0xff, 0xe2, 0x82, 0x62))));
console.log(decoder.decode(bytes(0xef, 0xbb, 0xbf, 0x61)).length);
console.log(new TextDecoder("utf8", { ignoreBOM: true }).decode(bytes(0xef, 0xbb, 0xbf, 0x61)).length);
const stream = new TextDecoder();
let text = "";
for (const byte of [0xef, 0xbb, 0xbf, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80]) {
  text += stream.decode(bytes(byte), { stream: true });
}
console.log(text + stream.decode(), text.length);
console.log(stream.decode(bytes(0xe2), { stream: true }) === "", JSON.stringify(stream.decode()));
const fatal = new TextDecoder(" UTF-8 ", { fatal: true });
console.log(fatal.decode(bytes(0xef, 0xbf, 0xbd)) === "\ufffd");
for (const bad of [[0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]]) {
  try {
    fatal.decode(bytes(...bad));
    console.log("accepted", bad);
  } catch (error) {
    console.log(error.name);
  }
}
console.log(decoder.decode(new DataView(bytes(0x61, 0x62, 0x63).buffer, 1)), decoder.decode(bytes(0x7a).buffer));
try {
  new TextDecoder("utf-16");
} catch (error) {
  console.log(error.name);
}
