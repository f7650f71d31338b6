const total: number = [1, 2, 3].reduce((sum, n) => sum + n, 0);
return { total, when: new Date(0), nothing: undefined };
