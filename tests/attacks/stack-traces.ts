// Error.prepareStackTrace is not called: it would be handed call sites, and deno_core's of them abort the
// process when Array.prototype has a getter that throws.
let called = 0;
(Error as any).prepareStackTrace = (_: Error, sites: any[]) => {
  called++;
  Object.defineProperty(Array.prototype, 0, { get() { throw 1; }, set() {}, configurable: true });
  sites[0].getFileName();
  sites[0].getFileName();
  return sites;
};
const texts = [new Error("a").stack, (await demo_fail().catch((error: Error) => error)).stack, (await import("x").catch((error: Error) => error)).stack];
delete (Array.prototype as any)[0];
console.log(called, texts.map((text) => typeof text));
console.log(new Error("b"));
const marked: any = {};
Error.captureStackTrace(marked);
console.log(typeof marked.stack, called);
Error.stackTraceLimit = 1e9;
const deep = (n: number): string => n === 0 ? new Error("deep").stack! : deep(n - 1);
console.log(deep(2000).split("\n").length);
const odd = new Error("d");
Object.defineProperty(odd, "message", { get() { throw new Error("never mind"); } });
Object.defineProperty(odd, "name", { get() { for (;;) throw 1; } });
console.log(typeof attempt(() => odd.stack));
Object.defineProperty(Error, "stackTraceLimit", { get() { called++; return 1; } });
console.log(typeof new Error("c").stack, (await demo_fail().catch((error: Error) => error)).message, called);
function attempt(work: () => unknown) { try { return work(); } catch { return "threw"; } }
