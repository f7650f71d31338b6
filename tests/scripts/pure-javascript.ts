var { a, ...rest } = { a: 1, b: 2 };
label: for (const x of [1, 2]) { if (x) break label; }
const re = /(?<year>\d{4})/u.exec("in 2026");
return [a, rest, re.groups.year, 0.1 + 0.2, `t${1}`, 2n ** 64n === 18446744073709551616n];
