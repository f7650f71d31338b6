// Buffers that are gone, or go while we look. None can be resized: see buffer-resizable.
const gone = new ArrayBuffer(16), view = new Uint8Array(gone), words = new Uint32Array(gone), data = new DataView(gone);
gone.transfer();
const whole = new ArrayBuffer(4), all = new Uint8Array(whole), part = new Uint8Array(whole, 2, 2);
const attempt = (work: () => unknown) => { try { return work(); } catch (error) { return error.name; } };
for (const odd of [gone, view, words, data, all, part]) {
  console.log(odd);
  console.log(attempt(() => new TextDecoder().decode(odd as any).length), attempt(() => crypto.getRandomValues(odd as any) === odd), attempt(() => typeof structuredClone(odd)));
  attempt(() => (odd as any).fill(0));
}
console.log(attempt(() => new TextEncoder().encodeInto("häh", part)), attempt(() => new TextEncoder().encodeInto("x", view)));
const going = new ArrayBuffer(8);
console.log(attempt(() => structuredClone({ a: new Uint8Array(going), get b() { going.transfer(); return 1; } })));
console.log(attempt(() => new TextDecoder().decode(new Uint8Array(8), { get stream() { gone.slice(0); return true; } } as any).length));
for (const size of [-1, 2 ** 53, 2 ** 40, NaN, 1e9]) console.log(attempt(() => new ArrayBuffer(size).byteLength));
console.log(attempt(() => crypto.getRandomValues(new Uint8Array(65537))), attempt(() => crypto.getRandomValues(new Float64Array(1))), attempt(() => crypto.getRandomValues({} as any)));
