// Buffers that are gone, change their size, or change it while we look.
const gone = new ArrayBuffer(16), view = new Uint8Array(gone), words = new Uint32Array(gone), data = new DataView(gone);
gone.transfer();
const grown = new ArrayBuffer(4, { maxByteLength: 64 }), tracking = new Uint8Array(grown), part = new Uint8Array(grown, 2, 2);
const attempt = (work: () => unknown) => { try { return work(); } catch (error) { return error.name; } };
for (const odd of [gone, view, words, data, tracking, part]) {
  console.log(odd);
  console.log(attempt(() => new TextDecoder().decode(odd as any).length), attempt(() => crypto.getRandomValues(odd as any) === odd), attempt(() => typeof structuredClone(odd)));
  attempt(() => (odd as any).fill(0));
}
grown.resize(1);
console.log(part, tracking, attempt(() => new TextDecoder().decode(part).length), attempt(() => typeof crypto.getRandomValues(part)), attempt(() => structuredClone(tracking).length));
grown.resize(64);
console.log(tracking.length, part.length, attempt(() => new TextEncoder().encodeInto("häh", part)), attempt(() => new TextEncoder().encodeInto("x", view)));
const changing = new ArrayBuffer(8, { maxByteLength: 8 });
console.log(attempt(() => structuredClone({ a: new Uint8Array(changing), get b() { changing.resize(0); return 1; } })));
console.log(attempt(() => new TextDecoder().decode(new Uint8Array(8), { get stream() { gone.slice(0); return true; } } as any).length));
for (const size of [-1, 2 ** 53, 2 ** 40, NaN, 1e9]) console.log(attempt(() => new ArrayBuffer(size).byteLength));
console.log(attempt(() => crypto.getRandomValues(new Uint8Array(65537))), attempt(() => crypto.getRandomValues(new Float64Array(1))), attempt(() => crypto.getRandomValues({} as any)));
