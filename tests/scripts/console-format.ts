// Specifiers count in the first string only, and only as far as there are arguments.
console.log("%s is %d years, %i, %f", "Bob", 42.5, 42.9, "1.5kg");
console.log("%j %o %O", { a: [1] }, { b: 2 }, [3]);
console.log("%cstyled%c", "color: red", "");
console.log("100%", 5, "%s");
console.log("%s");
console.log("%%", 1);
console.log("%x %s", 1);
console.log("%s|%s", "one");
console.log("%s %s %s", Symbol("s"), 12n, { a: { b: {} } });
console.log("%d %d %i", "a", 7n, Symbol());
console.log("a", "b", { c: "d" }, "e", -0, [-0]);
const loop: any = {};
loop.loop = loop;
console.log("%j", loop);
