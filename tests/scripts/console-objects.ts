// Plain objects, keys, nesting, accessors and line breaks.
const sign = Symbol("sign");
console.log({}, { a: 1, "b-c": "it's", 2: "two", [sign]: 1n, 'q"': '"', n: null, u: undefined });
console.log({ get a() { throw 1; }, set b(v) {}, get c() { return 1; }, set c(v) {} });
console.log({ a: { b: { c: { d: { e: { f: 1 } } } } } });
console.log(Object.create(null), Object.assign(Object.create(null), { a: 1 }));
console.log({ text: "tab\tline\nquote' and \"both\" \\ \x00 \ud800" });
console.log({
  id: 17,
  title: "A title that is long enough to break",
  labels: ["bug", "p1"],
  author: { name: "Ann", roles: ["admin", "reviewer"] },
});
const self: any = { name: "self" };
self.me = self;
self.list = [self];
self.list.push({ back: self.list });
console.log(self);
console.log({ f() {}, g: () => 1, h: class {}, Foo: class Foo {} });
console.log({ [Symbol.toStringTag]: "Tagged" }, { get [Symbol.toStringTag]() { throw 1; } });
