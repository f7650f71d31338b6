// What is printed is bounded, says what it leaves out, and never fails the script.
let deep: any = {};
for (let i = 0; i < 100000; i++) deep = { deep };
console.log(deep);
console.log([new Array(5000000)], new Uint8Array(200).subarray(0, 3));
console.log([2n ** 100000n], Array.from({ length: 103 }, () => ({})).length);
console.log(new Set(Array.from({ length: 103 }, (_, i) => `${i}`.padStart(20, "_"))).size);
for (let i = 0; i < 20; i++) console.group();
console.log("far right");
for (let i = 0; i < 20; i++) console.groupEnd();
let chain: any = {};
for (let i = 0; i < 10000; i++) chain = Object.create(chain);
console.log(chain);
console.count({ toString() { throw 1; } } as never);
Error.prepareStackTrace = () => { throw new Error("not ours"); };
console.log([new Error("still printed")]);
Error.prepareStackTrace = undefined;
console.log("end");
