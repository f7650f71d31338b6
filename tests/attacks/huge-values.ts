// Things that are large for what they are made of.
const attempt = (work: () => unknown) => { try { const value = work(); return typeof value === "string" ? value.length : value; } catch (error) { return error.name; } };
console.log(attempt(() => "x".repeat(2 ** 29 - 24).length), attempt(() => "x".repeat(2 ** 30)), attempt(() => 2n ** (2n ** 31n)), attempt(() => "abc".padEnd(2 ** 30)));
const holes = new Array(2 ** 32 - 1);
console.log(attempt(() => holes.length), holes);
const sparse: any = []; sparse[4e9] = 1; console.log(sparse, Object.keys(sparse));
console.log({ long: "y".repeat(20000).length, cut: "z".repeat(1e6) }.cut.length, new Set(Array.from({ length: 1000 }, (_, i) => i)).size);
const wide: any = {}; for (let i = 0; i < 1e5; i++) wide[`key${i}`] = i; console.log(Object.keys(wide).length);
for (const big of [2n ** 1000n, -(2n ** 100000n)]) console.log(String(big).length, attempt(() => BigInt.asUintN(64, big)));
