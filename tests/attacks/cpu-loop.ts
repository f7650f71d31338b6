//@ cpu_ms 500
console.log("kept");
while (true) {}
