// Callbacks of the garbage collector: what they throw ends the run, and is printed nowhere else.
//@ heap_mib 32
const registry = new FinalizationRegistry((held: string) => { console.log("collected", held); throw new Error("in a finalizer"); });
(() => { for (let i = 0; i < 3; i++) registry.register({ i }, "it"); })();
for (let i = 0; i < 400; i++) {
  let waste: unknown = []; for (let k = 0; k < 30000; k++) waste = [waste];
  await new Promise((resolve) => setTimeout(resolve, 1));
}
