for (const input of [{ level: "middle" }, {}, "text", [1], null, { level: "low", toJSON() { throw new Error("no"); } }]) {
  try { await demo_strict(input); } catch (error) { console.log(error.kind, error.server, error.tool); }
}
return (await demo_strict({ level: "low" })).text;
