// What structuredClone copies, how, and what it refuses.
const show = (value) => { try { const copy = structuredClone(value); const type = Object.prototype.toString.call(copy); return [type, copy === value && typeof value === "object" && value !== null, typeof copy]; } catch (error) { return [error.name, error.code, error instanceof DOMException]; } };
for (const value of [undefined, null, true, 1, -0, NaN, 1n, "text", "\ud800", new Boolean(false), new Number(1), new String("s"), Object(1n), new Date(0), new Date(NaN), /a/giy, new Map([[{}, 1]]), new Set([1]), [1, , 3], {}, Object.create(null), new Error("e"), new EvalError("e"), new RangeError("e"), new ReferenceError("e"), new SyntaxError("e"), new TypeError("e"), new URIError("e"), new AggregateError([], "e"), new ArrayBuffer(2), new Uint8Array(2), new DataView(new ArrayBuffer(1)), new Float64Array(1), new BigInt64Array(1)]) console.log(...show(value));
for (const value of [() => {}, class {}, Symbol("s"), Object(Symbol("s")), new WeakMap(), new WeakSet(), new WeakRef({}), Promise.resolve(), { f() {} }, [() => {}], new Map([[1, Symbol("s")]])]) console.log(...show(value));
class Point { constructor() { this.x = 1; } get y() { return 2; } }
const point = structuredClone(new Point()); console.log(point.constructor === Object, point.x, "y" in point);
const error = structuredClone(Object.assign(new RangeError("m", { cause: { c: 1 } }), { extra: 1, name: "RangeError" })); console.log(error instanceof RangeError, error.message, error.cause, "extra" in error, error.name);
const custom = structuredClone(Object.assign(new Error("m"), { name: "Mine" })); console.log(custom.name, custom.constructor === Error);
const sparse = structuredClone(Object.assign([1, , 3], { extra: "e" })); console.log(1 in sparse, sparse.extra, sparse.length);
const getter = structuredClone({ get a() { return 1; }, [Symbol("s")]: 2 }); console.log(Object.getOwnPropertyDescriptor(getter, "a"), Object.getOwnPropertySymbols(getter).length);
const hidden = {}; Object.defineProperty(hidden, "h", { value: 1 }); console.log("h" in structuredClone(hidden));
const regexp = /x/g; regexp.lastIndex = 3; console.log(structuredClone(regexp).lastIndex, structuredClone(regexp).flags);
const buffer = new ArrayBuffer(8), views = structuredClone([new Uint8Array(buffer, 1, 2), new Uint16Array(buffer), buffer]); console.log(views[0].buffer === views[1].buffer, views[1].buffer === views[2], views[0].byteOffset, views[0].length);
const map = new Map(); map.set(map, map); const copied = structuredClone(map); console.log(copied.get(copied) === copied, copied !== map);
try { structuredClone(); } catch (error) { console.log(error.name); }
try { structuredClone({ get a() { throw "mine"; } }); } catch (error) { console.log(error); }
console.log(structuredClone("x", { transfer: [] }), structuredClone.length, Object.is(structuredClone(-0), -0), structuredClone(Object.freeze({ a: 1 })));
