//@ process_only
//@ cpu_ms 1500
//@ heap_mib 2048
//@ resident_mib 4096
// JSON.parse of a long text never looks whether it should stop.
console.log("kept");
const text = `[${"[1,2,3],".repeat(15_000_000)}0]`;
console.log(text.length);
for (;;) JSON.parse(text);
