// Tables of records, values, rows with names, maps, chosen columns, and what is no table.
console.table([{ a: 1, b: "x" }, { a: 2, c: true }]);
console.table([1, "two", { a: 3 }]);
console.table({ first: { x: 1, y: 2 }, second: { x: 3 } }, ["x"]);
console.table(new Map([["k", 1]]));
console.table(new Set(["s"]));
console.table([[1, 2], [3, 4]]);
console.table([]);
console.table("text");
