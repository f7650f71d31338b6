//@ process_only
//@ cpu_ms 2500
//@ heap_mib 2048
//@ array_buffer_bytes 200000000
//@ resident_mib 4096
// A long sort never looks whether it should stop.
console.log("kept");
const numbers = new Float64Array(20_000_000);
for (let i = 0; i < numbers.length; i++) numbers[i] = (i * 7919) % 1_000_003;
const sorted = Array.from(numbers).sort((a, b) => 0);
numbers.sort();
[...numbers].sort();
