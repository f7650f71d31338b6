// deno_core makes room for as many properties as this list says it has, and aborts.
const error = new Error("heavy");
const list = new Array(2 ** 32 - 1);
for (const target of [error, Error.prototype, Object.prototype, TypeError.prototype]) {
  try { Object.defineProperty(target, Symbol.for("errorAdditionalPropertyKeys"), { value: list }); } catch (error) { console.log(error.name); }
}
throw error;
