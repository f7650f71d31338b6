const controller = new AbortController();
const call = demo_sleep({ ms: 60000 }, { signal: controller.signal });
setTimeout(() => controller.abort(), 20);
try { await call; } catch (error) { console.log(error.kind, error instanceof ToolError); }
try { await demo_echo({}, { signal: controller.signal }); } catch (error) { console.log(error.kind, error.message); }
const quick = AbortSignal.timeout(10);
try { await demo_sleep({ ms: 60000 }, { signal: quick }); } catch (error) { console.log(error.kind, quick.reason.name); }
