// Listeners run in order, once each; objects with handleEvent, `once`, removal and preventDefault.
const target = new EventTarget();
const seen: string[] = [];
const first = (event: Event) => seen.push(`first ${event.type} ${event.target === target}`);
target.addEventListener("ping", first);
target.addEventListener("ping", first);
target.addEventListener("ping", { handleEvent() { seen.push("object"); } }, { once: true });
target.addEventListener("ping", (event) => {
  event.preventDefault();
  event.stopImmediatePropagation();
});
target.addEventListener("ping", () => seen.push("never"));
target.addEventListener("ping", null);
console.log(target.dispatchEvent(new Event("ping", { cancelable: true })), seen.splice(0));
console.log(target.dispatchEvent(new Event("ping")), seen.splice(0));
target.removeEventListener("ping", first);
target.dispatchEvent(new Event("ping"));
console.log(seen);
const custom = new CustomEvent("c", { detail: { n: 1 } });
console.log(custom.type, custom.detail, custom instanceof Event, custom.defaultPrevented, custom.eventPhase);
class Bus extends EventTarget {}
const bus = new Bus();
const stop = new AbortController();
let count = 0;
bus.addEventListener("tick", () => count++, { signal: stop.signal });
bus.dispatchEvent(new Event("tick"));
stop.abort();
bus.dispatchEvent(new Event("tick"));
try {
  target.dispatchEvent({ type: "ping" } as never);
} catch (error) {
  console.log(error.name);
}
return count;
