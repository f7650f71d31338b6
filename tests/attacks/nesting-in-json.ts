// A million brackets each way.
const text = "[".repeat(1e6) + "]".repeat(1e6);
try { console.log(typeof JSON.parse(text)); } catch (error) { console.log(error.name); }
const deep: any = { a: JSON.parse(text) };
try { await demo_echo(deep); } catch (error) { console.log(error.name, error.kind); }
try { structuredClone(deep); console.log("cloned"); } catch (error) { console.log(error.name); }
console.log(deep);
console.table([deep]);
let nested: any = new Error("in"); for (let i = 0; i < 1e5; i++) nested = { nested };
console.log(nested);
