// A proxy prints as its target and none of its traps runs.
let traps = 0;
const handler = new Proxy({}, { get() { traps += 1; return undefined; } });
const of = (target: any) => new Proxy(target, handler);
console.log(of({ a: 1 }), of([1, 2]), of(new Map([[1, 2]])), of(function f() {}), of(of({ deep: 1 })));
console.log([of(new Error("e")) instanceof Error]);
traps = 0;
console.log({ inner: of({ b: 2 }) }, Object.create(of({})), new Set([of([])]));
console.table(of([of({ a: 1 })]));
console.dir(of({}), of({ depth: 0 }));
console.log("%s %d %i %f %O", of({}), of({}), of({}), of({}), of({ o: 1 }));
const { proxy, revoke } = Proxy.revocable({}, {});
revoke();
console.log(proxy, [proxy]);
return traps;
