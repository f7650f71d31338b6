const logs: any = demo_echo({ entries: [] });
console.log(logs.entries.length);
