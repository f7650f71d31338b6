// Timers run by time, then by age; microtasks run between them; a cleared one does not run.
const order: string[] = [];
const done = new Promise<void>((resolve) => setTimeout(resolve, 60));
setTimeout((a, b) => order.push(`thirty ${a} ${b}`), 30, "x", "y");
setTimeout(() => {
  order.push("first");
  Promise.resolve().then(() => order.push("microtask of first"));
}, 5);
setTimeout(() => order.push("second"), 5);
const never = setTimeout(() => order.push("never"), 1);
clearTimeout(never);
clearTimeout(never);
clearTimeout(undefined);
queueMicrotask(() => order.push("microtask"));
order.push("script");
await done;
console.log(typeof never, never > 0);
return order;
