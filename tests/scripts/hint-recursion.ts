const walk = (n: number): number => walk(n + 1) + 1;
walk(0);
