// Nothing runs after an error that nothing caught, not even what is queued already.
queueMicrotask(() => { throw new Error("the end"); });
queueMicrotask(() => { console.log("not reached"); demo_echo({ late: true }); });
const again = (): void => queueMicrotask(again);
again();
await new Promise(() => {});
