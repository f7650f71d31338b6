try { await demo_denied(); } catch (error) { console.log(error.kind); }
await demo_denied({});
