demo_ecko({});
