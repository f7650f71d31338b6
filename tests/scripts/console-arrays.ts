// Arrays: short ones in a line, long ones in rows, cut at 100, with holes and extra keys.
console.log([], [1, "a", null], [[1, [2, [3, [4, [5, [6]]]]]]]);
console.log([1, , , 4, ,], new Array(3), Object.assign([1], { extra: true }));
console.log(Array.from({ length: 30 }, (_, i) => i * 10));
console.log(Array.from({ length: 12 }, (_, i) => `name${i * i}`));
console.log(Array.from({ length: 130 }, (_, i) => i % 10));
console.log([{ id: 1, title: "First issue with a long title" }, { id: 2, title: "Second issue" }]);
class Stack extends Array {}
console.log(Stack.from([1, 2]), new Uint8Array([1, 2]), new Float32Array(1), new BigInt64Array(1));
console.log(new ArrayBuffer(4), new DataView(new ArrayBuffer(2)));
(function (..._: unknown[]) {
  console.log(arguments);
})(1, "b");
