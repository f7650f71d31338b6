// Errors: the stack without our frames, name and message as they are now, own keys, causes.
const at = <E extends Error>(error: E, frame = "f (main.ts:1:1)"): E => {
  error.stack = `${error.name}: ${error.message}\n    at ${frame}`;
  return error;
};
console.log(at(new Error("plain")));
console.log(at(new TypeError("types"), "ext:cofferdam/99_x.js:1:1"));
console.log(at(Object.assign(new RangeError("extra"), { code: "E1", detail: { a: 1 } })));
console.log(at(new Error("outer", { cause: at(new Error("inner", { cause: "root" })) })));
console.log({ nested: at(new Error("two\nlines")) });
class MyError extends Error {}
class Named extends Error {
  name = "Renamed";
}
console.log(at(new MyError("mine")), at(new Named("theirs")));
console.log(at(new AggregateError([at(new Error("one")), 2], "both")));
const changed = at(new Error("before"));
changed.message = "after";
console.log(changed);
const bare = new Error("bare");
bare.stack = undefined;
console.log(bare, [bare]);
console.log(at(new DOMException("gone", "AbortError")));
const hostile = at(new Error("x"));
Object.defineProperty(hostile, "message", { get() { throw 1; } });
Object.defineProperty(hostile, "cause", { get() { throw 1; } });
console.log(hostile);
