//@ cpu_ms 500
//@ process_only
// V8 looks for a termination neither here nor in the sort of a typed array.
console.log("kept");
Array.prototype.lastIndexOf.call({ length: 2 ** 53 - 1 }, 1);
