throw { then(resolve: (value: unknown) => void) { resolve("settled"); }, toString() { throw 1; } };
