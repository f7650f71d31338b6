return { get a() { throw new TypeError("no", { cause: 1 }); } };
