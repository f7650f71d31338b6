// The file that the first call makes says that the second one is about to be made.
await memory_create_entities({ entities: [{ name: "begun", entityType: "sign", observations: [] }] });
await everything_trigger_long_running_operation({ duration: 600, steps: 600 });
