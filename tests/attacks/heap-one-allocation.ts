//@ process_only
// V8 aborts here rather than call back: only a process of its own survives it.
console.log("kept");
[..."." .repeat(3e8)];
