//@ cpu_ms 500
// Backtracking inside of replace, with look-behind and back references.
"x".repeat(40).replace(/(?<=(x+x+)+)y|(x*)*\2y/g, "");
const text = "a".repeat(30);
for (;;) text.match(/(a|aa)+$|(?:a?){30}a{30}b/);
