// Reasons, orders and the signals that others are made of.
const reason = (value) => { const controller = new AbortController(); value === "none" ? controller.abort() : controller.abort(value); return controller.signal.reason; };
console.log(reason("none").name, reason(undefined).name, reason(null), reason(0), reason("x"), reason(false));
console.log(AbortSignal.abort().reason.name, AbortSignal.abort(null).reason, AbortSignal.abort().aborted);
const order = [], a = new AbortController(), b = new AbortController();
const either = AbortSignal.any([a.signal, b.signal]), both = AbortSignal.any([either, b.signal]), same = AbortSignal.any([a.signal, a.signal]);
for (const [name, signal] of [["a", a.signal], ["either", either], ["both", both], ["same", same]]) { signal.onabort = (event) => order.push(name, event.target === signal, event.bubbles, event.cancelable); signal.addEventListener("abort", () => order.push(name + " listener")); }
a.signal.addEventListener("abort", () => { order.push(either.aborted, both.aborted, same.aborted); b.abort("second"); });
a.abort("first"); a.abort("again");
console.log(order.join(), either.reason, both.reason, b.signal.reason);
console.log(AbortSignal.any([AbortSignal.abort(1), AbortSignal.abort(2)]).reason, AbortSignal.any([]).aborted, AbortSignal.any(new Set([a.signal])).aborted);
for (const bad of [() => AbortSignal.any(), () => AbortSignal.any([1]), () => AbortSignal.any(a.signal), () => AbortSignal.timeout(-1), () => AbortSignal.timeout(NaN), () => AbortSignal.timeout("x"), () => AbortSignal.timeout(), () => new AbortSignal(), () => AbortController(), () => AbortSignal.prototype.aborted, () => AbortController.prototype.abort.call({})]) { try { bad(); console.log("fine"); } catch (error) { console.log(error.name); } }
let thrown; try { AbortSignal.abort("text").throwIfAborted(); } catch (error) { thrown = error; } console.log(thrown, AbortSignal.any([a.signal]) === AbortSignal.any([a.signal]));
const once = new AbortController(); let count = 0; once.signal.addEventListener("abort", () => count++); once.signal.dispatchEvent(new Event("abort")); once.abort(); once.abort(); console.log(count, once.signal === once.signal);
once.signal.onabort = 5; console.log(once.signal.onabort); const late = []; once.signal.addEventListener("abort", () => late.push(1)); console.log(late.length);
const timed = [AbortSignal.timeout(20), AbortSignal.timeout(5), AbortSignal.timeout(0)], fired = []; timed.forEach((signal, i) => signal.addEventListener("abort", () => fired.push(i)));
await new Promise((resolve) => setTimeout(resolve, 120)); console.log(fired.join(), timed[0].reason.name, timed[0].reason instanceof DOMException, timed[0].reason.code);
