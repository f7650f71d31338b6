// All ways to make code of text, and what could lead to them.
const AsyncFunction = (async () => {}).constructor as any, GeneratorFunction = (function* () {}).constructor as any, AsyncGeneratorFunction = (async function* () {}).constructor as any;
const ways: [string, () => unknown][] = [
  ["eval", () => eval("1")], ["indirect eval", () => (0, eval)("1")], ["eval by another name", () => globalThis["eval"]("1")], ["eval of no text", () => eval(1 as any)],
  ["Function", () => Function("return 1")()], ["AsyncFunction", () => new AsyncFunction("1")], ["GeneratorFunction", () => GeneratorFunction("1")], ["AsyncGeneratorFunction", () => AsyncGeneratorFunction("1")],
  ["class", () => new (class extends Function {})("1")], ["construct", () => Reflect.construct(AsyncFunction, ["1"], Object)], ["call", () => Function.prototype.constructor.call(null, "1")],
  ["timer", () => setTimeout("1" as any)], ["interval", () => setInterval("1" as any, 1)], ["microtask", () => queueMicrotask("1" as any)], ["handler", () => ((new AbortController().signal as any).onabort = "1")],
  ["tagged", () => (eval as any)`1`], ["reviver", () => JSON.parse("1", "1" as any)], ["trusted", () => eval({ toString: () => "1" } as any)],
  ["of a stub", () => (demo_echo as any).constructor("1")], ["of console", () => (console.log as any).constructor("1")], ["of an error", () => ((ToolError as any).constructor)("1")],
];
for (const [name, way] of ways) {
  try { const value = await way(); console.log(name, typeof value); } catch (error) { console.log(name, error.name); }
}
