//@ cpu_ms 500
// In code of the script that runs inside of ours.
console.log("%j", { get a() { for (;;); } });
