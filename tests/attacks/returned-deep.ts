let deep: unknown = 1;
for (let i = 0; i < 1e6; i++) deep = [deep];
return deep;
