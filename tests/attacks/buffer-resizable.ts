// A buffer that may grow takes its memory past the budget.
const options = { maxByteLength: 5e8 };
const attempts: [string, () => any][] = [
  ["new", () => new (ArrayBuffer as any)(8, options)],
  ["Reflect", () => Reflect.construct(ArrayBuffer, [8, options])],
  ["subclass", () => new (class extends (ArrayBuffer as any) {})(8, options)],
  ["constructor", () => new ((new Uint8Array(1).buffer as any).constructor)(8, options)],
  ["prototype", () => new (Object.getPrototypeOf(new ArrayBuffer(1)) as any).constructor(8, options)],
  ["other target", () => Reflect.construct(ArrayBuffer, [8, options], Map)],
  ["getter", () => new (ArrayBuffer as any)(8, { get maxByteLength() { return 5e8; } })],
  ["proxy", () => new (ArrayBuffer as any)(8, new Proxy({}, { get: () => 5e8 }))],
  ["function", () => new (ArrayBuffer as any)(8, Object.assign(() => {}, options))],
  ["transfer", () => (new ArrayBuffer(8) as any).transfer(16)],
  ["species", () => {
    const buffer: any = new ArrayBuffer(8);
    buffer.constructor = { [Symbol.species]: function () { return new (ArrayBuffer as any)(8, options); } };
    return buffer.slice(0);
  }],
];
for (const [name, attempt] of attempts) {
  try {
    const buffer = attempt();
    try {
      buffer.resize(4e8);
    } catch (error) {
      console.log(name, String(error), buffer.byteLength, buffer.resizable);
      continue;
    }
    console.log(name, "resized");
  } catch (error) {
    console.log(name, String(error));
  }
}
console.log(new ArrayBuffer(3), ArrayBuffer.isView(new Uint8Array(1)), new Uint8Array([1, 2, 3]).buffer.slice(1));
console.log(Object.prototype.toString.call(new ArrayBuffer(1)), new ArrayBuffer(1) instanceof ArrayBuffer);
console.log(structuredClone(new ArrayBuffer(2)) instanceof ArrayBuffer, ArrayBuffer.name, ArrayBuffer.length);
