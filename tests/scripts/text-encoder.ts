// UTF-8 out of strings; what is half a character becomes U+FFFD.
const encoder = new TextEncoder();
console.log(encoder.encoding, encoder.encode(), encoder.encode("aé€😀"));
console.log(encoder.encode("\ud800x"));
const room = new Uint8Array(6);
console.log(encoder.encodeInto("é€😀", room), room);
return encoder.encode("x") instanceof Uint8Array;
