try { await demo_sleep({ ms: 60000 }, { timeoutMs: 50 }); } catch (error) { console.log(error.kind); }
try { await demo_sleep({}, { timeoutMs: -1 }); } catch (error) { console.log(error.kind); }
