//@ process_only
//@ heap_mib 1024
//@ resident_mib 150
// Memory that every other limit allows: the whole process has one as well.
console.log("kept");
const kept = [];
for (;;) kept.push(new Array(1e5).fill({}));
