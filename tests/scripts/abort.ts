// Controllers, reasons, timeouts, and signals made of others.
const controller = new AbortController();
const { signal } = controller;
const order: string[] = [];
signal.onabort = (event) => order.push(`onabort ${event.type}`);
signal.addEventListener("abort", () => order.push("listener"));
const any = AbortSignal.any([signal, new AbortController().signal]);
any.addEventListener("abort", () => order.push("any"));
const nested = AbortSignal.any([any]);
signal.addEventListener("abort", () => order.push(`nested ${nested.aborted}`));
console.log(signal.aborted, signal.reason, any.aborted);
signal.throwIfAborted();
controller.abort();
controller.abort("again");
console.log(order, signal.aborted, any.reason === signal.reason);
console.log(signal.reason.name, signal.reason.code, signal.reason instanceof DOMException);
try {
  signal.throwIfAborted();
} catch (error) {
  console.log(error === signal.reason);
}
console.log(AbortSignal.abort(7).reason, AbortSignal.any([AbortSignal.abort("r")]).reason);
console.log(AbortSignal.any([]).aborted);
const timeout = AbortSignal.timeout(5);
await new Promise<void>((resolve) => {
  timeout.addEventListener("abort", () => resolve());
  setTimeout(() => {}, 1000);
});
console.log(timeout.reason.name, timeout.reason.code);
try {
  new (AbortSignal as any)();
} catch (error) {
  console.log(error.name);
}
return Object.prototype.toString.call(signal);
