// What the broker gets is what JSON.stringify writes, once.
let reads = 0;
const show = async (input: any) => { try { return JSON.stringify(await demo_echo(input)); } catch (error) { return `${error.kind}: ${error.message}`; } };
console.log(await show({ get a() { return ++reads; }, get b() { return ++reads; } }), reads);
console.log(await show(new Proxy({ a: 1 }, { get: (target, key) => key === "a" ? "from the trap" : Reflect.get(target, key) })));
console.log(await show({ toJSON() { return { from: "toJSON" }; } }), await show({ toJSON: () => 5 }), await show({ toJSON: () => undefined }));
console.log(await show({ then(resolve: (value: unknown) => void) { resolve("never"); } }), await show(Object.create({ inherited: 1 })));
console.log(await show({ nothing: undefined, f() {}, s: Symbol("s"), nan: NaN, inf: -Infinity, minus: -0, date: new Date(0), map: new Map([[1, 2]]), big: [1, , 3] }));
console.log(await show(JSON.parse('{"__proto__":{"polluted":true},"constructor":1}')), ({} as any).polluted);
console.log(await show({ lone: "\ud800x\udc00", nul: "\0", separators: "\u2028\u2029", "k\"ey\n": 1 }), await show({ n: 1e400, m: 5e-324, i: 2 ** 53 }));
console.log(await show({ n: 1n }), await show(() => {}), await show(Symbol("s")), await show([1]), await show("text"), await show(null), await show(7));
console.log(await show((() => { const a: any = {}; a.a = a; return a; })()), await show({ get a() { throw new Error("mine"); } }));
console.log(await show(new Proxy({}, { ownKeys() { throw new Error("trap"); } })), await show(Promise.resolve({})), await show({ deep: [{ p: demo_text() }] }));
console.log(await show({ raw: (JSON as any).rawJSON("12345678901234567890") }));
const revoked = Proxy.revocable({}, {}); revoked.revoke();
console.log(await show(revoked.proxy), await show(new Proxy([1], {})));
const options: any = { get timeoutMs() { reads++; return 5000; }, get signal() { reads++; return undefined; } };
console.log(await demo_echo({ a: 1 }, options), reads);
for (const bad of [{ timeoutMs: NaN }, { timeoutMs: "soon" }, { timeoutMs: -1 }, { signal: {} }, { signal: Object.create(AbortSignal.prototype) }, { get timeoutMs() { throw new Error("no"); } }] as any[]) {
  try { await demo_echo({}, bad); console.log("answered"); } catch (error) { console.log(error.kind, error.message); }
}
