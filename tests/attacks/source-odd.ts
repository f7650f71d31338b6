// Statements that are rare: they do what they do anywhere.
debugger;
outer: for (const a of [1, 2]) { for (const b of [1, 2]) { if (b === 2) continue outer; if (a === 2) break outer; console.log(a, b); } }
label: { break label; }
console.log(typeof this, (function (this: unknown) { return this; })());
try { (() => { (undeclared as any) = 1; })(); } catch (error) { console.log(error.name); }
try { (function f() { return (f as any).caller; })(); } catch (error) { console.log(error.name); }
try { (function () { return arguments.callee; })(); } catch (error) { console.log(error.name); }
const \u0061bc = 1, ünïcode = 2, $ = 3; console.log(abc, ünïcode, $);
