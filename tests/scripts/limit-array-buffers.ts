//@ array_buffer_bytes 1000000
const all = new Uint8Array(1_000_000);
try {
  new Uint8Array(65);
} catch (error) {
  console.log(all.length, "and no more:", error.name);
}
new Uint8Array(65);
