// Shapes only: what is random cannot be compared.
const id = crypto.randomUUID();
console.log(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id));
console.log(crypto.randomUUID() !== id);
const bytes = new Uint8Array(64);
console.log(crypto.getRandomValues(bytes) === bytes, bytes.some((byte) => byte !== 0));
const part = new Uint16Array(bytes.buffer.slice(0), 2, 1);
crypto.getRandomValues(part);
crypto.getRandomValues(new BigInt64Array(1));
crypto.getRandomValues(new Uint8Array(65536));
for (const bad of [new Uint8Array(65537), new Float64Array(1), new DataView(new ArrayBuffer(1)), []]) {
  try {
    crypto.getRandomValues(bad as never);
    console.log("accepted");
  } catch (error) {
    console.log(error.name);
  }
}
console.log("subtle" in crypto, Object.prototype.toString.call(crypto));
const start = performance.now();
await new Promise((resolve) => setTimeout(resolve, 20));
const passed = performance.now() - start;
console.log(passed >= 15, passed < 5000);
return Math.abs(performance.timeOrigin + performance.now() - Date.now()) < 2000;
