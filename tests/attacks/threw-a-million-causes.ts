let error: Error | undefined;
for (let i = 0; i < 200000; i++) error = new Error(`number ${i}`, { cause: error });
const many = new AggregateError([error, ...Array.from({ length: 100000 }, (_, i) => new Error(`${i}`))], "many", { cause: error });
throw many;
