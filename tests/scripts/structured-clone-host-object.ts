// deno_core takes an object with this symbol for one of the host's; its type is unknown, and
// looking it up must not take the process down.
const brand = Symbol.for("Deno.core.hostObject");
for (const made of [() => ({ type: "unknown" }), () => 1, 5]) {
  try {
    structuredClone({ [brand]: made });
    console.log("copied");
  } catch (error) {
    console.log(error.name);
  }
}
return "alive";
