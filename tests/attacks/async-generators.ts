// Failures of calls through generators, `yield*`, causes and aggregates arrive as what they were.
async function* inner() { yield 1; yield demo_fail(); }
async function* outer() { try { yield* inner(); } finally { console.log("finally"); } }
try { for await (const value of outer()) console.log(value); } catch (error) { console.log(error instanceof ToolError, error.kind); }
function* sync() { const sent: unknown = yield demo_text(); console.log("sent", sent); yield* [demo_echo({ n: 1 })]; }
const walk = sync();
console.log(String(await walk.next().value), await walk.next("back").value);
const any = await Promise.any([demo_fail(), demo_denied()]).catch((error: AggregateError) => error);
console.log(any.name, any.errors.map((error: any) => error.kind), any.errors.every((error: any) => error instanceof ToolError));
const wrapped = await demo_fail().catch((cause: Error) => new Error("outer", { cause }));
console.log(wrapped.cause.kind, wrapped.cause.message);
const settled = await Promise.allSettled([demo_fail(), demo_text()]);
console.log(settled.map((end) => end.status));
const generator = outer();
await generator.next();
console.log(await generator.return("early"));
throw new AggregateError([wrapped, ...any.errors, "text", null], "in the end", { cause: any });
