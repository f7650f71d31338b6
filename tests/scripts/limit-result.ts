//@ result_bytes 200
await demo_count({ many: 10 });
await demo_count({ many: 1000 });
