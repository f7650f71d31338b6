const logs: any = demo_echo({ entries: [1] });
for (const log of logs.entries) console.log(log);
