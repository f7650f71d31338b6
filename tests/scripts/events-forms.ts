// Events: their flags, phases, and listeners that come and go while they are dispatched.
const target = new EventTarget(), log = [];
const event = new Event("x", { bubbles: true, cancelable: true, composed: true });
console.log(event.type, event.bubbles, event.cancelable, event.composed, event.isTrusted, event.target, event.currentTarget, event.eventPhase, event.defaultPrevented, event.returnValue, event.cancelBubble, typeof event.timeStamp, event.composedPath().length);
target.addEventListener("x", function (e) { log.push(this === target, e.currentTarget === target, e.eventPhase, e.composedPath()[0] === target); e.preventDefault(); target.addEventListener("x", () => log.push("added")); });
target.addEventListener("x", () => { target.removeEventListener("x", removed); });
function removed() { log.push("removed"); }
target.addEventListener("x", removed);
console.log(target.dispatchEvent(event), event.defaultPrevented, event.eventPhase, event.currentTarget, event.target === target, log.splice(0).join());
console.log(target.dispatchEvent(new Event("x")), log.splice(0).join());
const passive = new Event("p"); passive.preventDefault(); console.log(passive.defaultPrevented);
const counted = new EventTarget(); let count = 0; const listener = () => count++;
counted.addEventListener("c", listener); counted.addEventListener("c", listener, true); counted.addEventListener("c", listener, { capture: true }); counted.addEventListener("c", listener, { once: true });
counted.dispatchEvent(new Event("c")); console.log(count); counted.removeEventListener("c", listener, true); counted.dispatchEvent(new Event("c")); console.log(count); counted.removeEventListener("c", listener); counted.dispatchEvent(new Event("c")); console.log(count);
const again = new Event("again"); counted.addEventListener("again", (e) => { try { counted.dispatchEvent(e); } catch (error) { log.push(error.name, error.code); } }); counted.dispatchEvent(again); counted.dispatchEvent(again); console.log(log.splice(0).join());
const stopped = new EventTarget(); stopped.addEventListener("s", (e) => { e.stopPropagation(); log.push(1, e.cancelBubble); }); stopped.addEventListener("s", (e) => { e.stopImmediatePropagation(); log.push(2); }); stopped.addEventListener("s", () => log.push(3)); stopped.dispatchEvent(new Event("s")); console.log(log.splice(0).join());
const object = { handleEvent(e) { log.push(this === object, e.type); } }; const handled = new EventTarget(); handled.addEventListener("h", object); handled.dispatchEvent(new CustomEvent("h", { detail: 5 })); object.handleEvent = () => log.push("changed"); handled.dispatchEvent(new Event("h")); console.log(log.splice(0).join());
const signal = AbortSignal.abort(); handled.addEventListener("never", () => log.push("never"), { signal }); handled.dispatchEvent(new Event("never")); console.log(log.length);
console.log(new CustomEvent("c").detail, new CustomEvent("c", { detail: null }).detail, new CustomEvent("c", { detail: undefined }).detail, Event.NONE, Event.CAPTURING_PHASE, Event.AT_TARGET, Event.BUBBLING_PHASE, new Event(undefined).type, new Event(null).type, new Event("").type === "");
for (const bad of [() => new Event(), () => Event("x"), () => new EventTarget().addEventListener("x"), () => new EventTarget().dispatchEvent(null), () => new EventTarget().dispatchEvent({}), () => new Event("x").type = "y", () => EventTarget.prototype.addEventListener.call({}, "x", () => {}), () => new EventTarget().addEventListener("x", undefined), () => new EventTarget().removeEventListener("x", null)]) { try { bad(); console.log("fine"); } catch (error) { console.log(error.name); } }
