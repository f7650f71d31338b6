//@ heap_mib 32
const all: Promise<unknown>[] = [];
for (;;) all.push(new Promise(() => {}).then(() => {}));
