// Arguments, conversions, nesting, and what clearing does.
const order = [], wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
setTimeout((...args) => order.push(args.join("+")), 1, 1, "b", null); setTimeout(() => order.push("string delay"), "4"); setTimeout(() => order.push("negative"), -5); setTimeout(() => order.push("none")); setTimeout(() => order.push("nan"), NaN); setTimeout(() => order.push("object"), { valueOf: () => 8 });
await wait(60); console.log([...order].sort().join(), order.length);
const cleared = setTimeout(() => order.push("cleared"), 1); clearTimeout(cleared); const other = setTimeout(() => order.push("cleared by the other"), 1); clearInterval(other); let rounds = 0; const interval = setInterval(() => { if (++rounds === 3) clearTimeout(interval); }, 1);
for (const odd of [undefined, null, -1, 1e9, "x", {}, NaN]) { clearTimeout(odd); clearInterval(odd); }
await wait(60); console.log(order.includes("cleared"), order.includes("cleared by the other"), rounds);
const inside = []; setTimeout(() => { inside.push("a"); queueMicrotask(() => inside.push("a micro")); Promise.resolve().then(() => inside.push("a then")); setTimeout(() => inside.push("a child"), 0); }, 5); setTimeout(() => inside.push("b"), 5); setTimeout(function () { inside.push(this === undefined || this === globalThis || typeof this); }, 6);
await wait(60); console.log(inside.join());
const micro = []; queueMicrotask(() => { micro.push(1); queueMicrotask(() => micro.push(3)); }); Promise.resolve().then(() => micro.push(2)); micro.push(0); await wait(1); console.log(micro.join());
for (const bad of [() => queueMicrotask(), () => queueMicrotask("x"), () => queueMicrotask(null), () => setTimeout(), () => setInterval(null)]) { try { bad(); console.log("fine"); } catch (error) { console.log(error.name); } }
const first = performance.now(); let steady = true; for (let i = 0, last = first; i < 1000; i++) { const now = performance.now(); if (now < last) steady = false; last = now; } console.log(steady, typeof performance.timeOrigin, Object.keys(performance.toJSON()).includes("timeOrigin"));
