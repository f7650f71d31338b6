// Maps, sets, promises, boxes, dates, regular expressions, symbols and functions.
console.log(new Map<unknown, unknown>([["a", { b: 1 }], [{ k: 1 }, new Set([1, "2"])]]), new Map(), new Set());
class Table extends Map {}
console.log(new Table([[1, 2]]), new WeakMap(), new WeakSet());
console.log(Promise.resolve({ a: 1 }), new Promise(() => {}));
console.log(new Number(3), new String("abc"), new Boolean(false), Object(1n), Object(Symbol("q")));
console.log(new Date(0), new Date(NaN), /a\/b/giu, Symbol("s"), Symbol(), 123n);
console.log([new Date(0), /x/, Symbol.iterator, 1n]);
console.log(function named() {}, () => {}, async () => {}, function* gen() {}, class A {}, class extends Map {});
class Base {}
class Derived extends Base {
  static count = 1;
}
console.log(Derived, Object.assign(function f() {}, { p: 1 }), Math.max);
console.log(new Map([["k", 1]]).entries(), [][Symbol.iterator](), Math, JSON);
console.log(Array.from({ length: 3 }, (_, i) => new Set([i])), new Set(Array.from({ length: 102 }, (_, i) => i)).size);
console.log(new URL("https://a.b/c"), new URLSearchParams("a=1&b=2"), new AbortController().signal);
