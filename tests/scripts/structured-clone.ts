// Copies keep identity, cycles and types; functions cannot be copied, nothing can be transferred.
const shared = { x: 1 };
const value: any = {
  list: [shared, shared],
  map: new Map([["k", new Set([1])]]),
  date: new Date(0),
  bytes: new Uint8Array([1, 2]),
  pattern: /a+/gi,
  big: 10n,
  none: undefined,
};
value.self = value;
const copy = structuredClone(value);
console.log(copy);
console.log(copy !== value, copy.self === copy, copy.list[0] === copy.list[1], copy.list[0] !== shared);
for (const bad of [() => 1, { f() {} }, Symbol("s")]) {
  try {
    structuredClone(bad);
  } catch (error) {
    console.log(error.name, error.code);
  }
}
try {
  structuredClone({ get x() { throw new RangeError("mine"); } });
} catch (error) {
  console.log(error.name, error.message);
}
try {
  const buffer = new ArrayBuffer(8);
  structuredClone(buffer, { transfer: [buffer] });
} catch (error) {
  console.log(error.name);
}
