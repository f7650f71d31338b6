const a: any = new Error("a"), b: any = new AggregateError([a, a], "b", { cause: a });
a.cause = b;
a.errors = [a, b];
throw a;
