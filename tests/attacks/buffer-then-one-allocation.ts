// A refused buffer makes V8 say that memory is short, as a full heap does. Whoever catches the
// refusal and then asks for one huge array must not be taken for the first case again.
const ways: [string, () => unknown][] = [
  ["ArrayBuffer", () => new ArrayBuffer(2e8)],
  ["typed array", () => new Float64Array(3e7)],
  ["slice", () => { const a = new Uint8Array(4e7); return a.slice(); }],
  ["transfer", () => new ArrayBuffer(10).transfer(2e8)],
  ["from", () => Uint8Array.from({ length: 1e8 })],
  ["clone", () => structuredClone(new Uint8Array(4e7))],
  ["encode", () => new TextEncoder().encode("x".repeat(1e8))],
];
for (const [name, way] of ways) {
  try {
    way();
    console.log(name, "allowed");
  } catch (error) {
    console.log(name, String(error));
  }
}
const characters = [..."x".repeat(6e7)];
