// Event, CustomEvent and EventTarget, as DOM §2 has them for targets without a tree.
//
// Differences: no capture phase, no `passive`; what a listener throws is reported as an uncaught
// error and so ends the run, like an error of a timer's callback.
"use strict";

((globalThis) => {
  const { core, primordials, internals } = globalThis.__bootstrap;
  const {
    ArrayPrototypePush,
    ObjectDefineProperty,
    ReflectApply,
    TypeError,
  } = primordials;
  const { op_now } = core.ops;
  const { DOMException, ensureStack, expose, list, need, tag, toArray, without } = internals;

  const PHASES = ["NONE", "CAPTURING_PHASE", "AT_TARGET", "BUBBLING_PHASE"];

  // The parts of an event that only dispatching may touch; filled in by the class below.
  let begin, finish, isRunning, isTaken, typeOf;

  class Event {
    #type;
    #bubbles;
    #cancelable;
    #composed;
    #time = op_now();
    #target = null;
    #current = null;
    #phase = 0;
    #running = false;
    #stopped = false;
    #taken = false;
    #prevented = false;

    constructor(type, init = undefined) {
      need(1, arguments.length, "Event");
      this.#type = `${type}`;
      this.#bubbles = init != null && !!init.bubbles;
      this.#cancelable = init != null && !!init.cancelable;
      this.#composed = init != null && !!init.composed;
    }

    static {
      begin = (event, target) => {
        event.#running = true;
        event.#prevented = false;
        event.#target = target;
        event.#current = target;
        event.#phase = 2;
      };
      isRunning = (event) => event.#running;
      isTaken = (event) => event.#taken;
      typeOf = (event) => event.#type;
      finish = (event) => {
        event.#running = false;
        event.#stopped = false;
        event.#taken = false;
        event.#current = null;
        event.#phase = 0;
        return !event.#prevented;
      };
    }

    get type() {
      return this.#type;
    }
    get target() {
      return this.#target;
    }
    get srcElement() {
      return this.#target;
    }
    get currentTarget() {
      return this.#current;
    }
    get eventPhase() {
      return this.#phase;
    }
    get bubbles() {
      return this.#bubbles;
    }
    get cancelable() {
      return this.#cancelable;
    }
    get composed() {
      return this.#composed;
    }
    get defaultPrevented() {
      return this.#prevented;
    }
    get returnValue() {
      return !this.#prevented;
    }
    get timeStamp() {
      return this.#time;
    }
    get isTrusted() {
      this.#type;
      return false;
    }
    get cancelBubble() {
      return this.#stopped;
    }
    set cancelBubble(value) {
      if (value) this.#stopped = true;
    }

    composedPath() {
      const path = list();
      if (this.#current !== null) ArrayPrototypePush(path, this.#current);
      return toArray(path);
    }
    preventDefault() {
      if (this.#cancelable) this.#prevented = true;
    }
    stopPropagation() {
      this.#stopped = true;
    }
    stopImmediatePropagation() {
      this.#stopped = true;
      this.#taken = true;
    }
  }
  for (let i = 0; i < PHASES.length; i++) {
    const phase = { __proto__: null, value: i, enumerable: true };
    ObjectDefineProperty(Event, PHASES[i], phase);
    ObjectDefineProperty(Event.prototype, PHASES[i], phase);
  }
  tag(Event.prototype, "Event");
  expose("Event", Event);

  class CustomEvent extends Event {
    #detail;

    constructor(type, init = undefined) {
      need(1, arguments.length, "CustomEvent");
      super(type, init);
      const detail = init == null ? undefined : init.detail;
      this.#detail = detail === undefined ? null : detail;
    }

    get detail() {
      return this.#detail;
    }
  }
  tag(CustomEvent.prototype, "CustomEvent");
  expose("CustomEvent", CustomEvent);

  // Dispatching as our own code does it: no look-up of a method that a script may have replaced.
  let dispatch;

  class EventTarget {
    /** Lists of listeners by type. */
    #listeners = { __proto__: null };

    static {
      dispatch = (target, event) => {
        begin(event, target);
        const listeners = target.#listeners[typeOf(event)] ?? list();
        for (let i = 0; i < listeners.length && !isTaken(event); i++) {
          const listener = listeners[i];
          if (listener.removed) continue;
          if (listener.once) target.#remove(listener);
          call(listener.callback, target, event);
        }
        return finish(event);
      };
    }

    addEventListener(type, callback, options = undefined) {
      const listeners = this.#listeners;
      ensureStack();
      need(2, arguments.length, "addEventListener");
      type = `${type}`;
      const given = typeof options === "object" || typeof options === "function" ? options : null;
      const capture = given === null ? !!options : !!given.capture;
      const once = given !== null && !!given.once;
      const signal = given === null ? undefined : given.signal;
      const { signals } = internals;
      if (signal !== undefined && !signals.is(signal)) {
        throw new TypeError("the `signal` of a listener must be an AbortSignal");
      }
      if (callback == null) return;
      if (typeof callback !== "function" && typeof callback !== "object") {
        throw new TypeError("a listener is a function or an object with handleEvent");
      }
      if (signal !== undefined && signals.isAborted(signal)) return;
      if (this.#find(type, callback, capture) !== null) return;
      const listener = {
        __proto__: null,
        type,
        callback,
        capture,
        once,
        removed: false,
      };
      // A fresh list, so that a dispatch which is under way does not see the newcomer.
      listeners[type] = without(listeners[type] ?? list(), null);
      ArrayPrototypePush(listeners[type], listener);
      if (signal !== undefined) signals.onAbort(signal, () => this.#remove(listener));
    }

    removeEventListener(type, callback, options = undefined) {
      this.#listeners;
      ensureStack();
      need(2, arguments.length, "removeEventListener");
      const isObject = typeof options === "object" || typeof options === "function";
      const capture = isObject ? options !== null && !!options.capture : !!options;
      const listener = this.#find(`${type}`, callback, capture);
      if (listener !== null) this.#remove(listener);
    }

    dispatchEvent(event) {
      this.#listeners;
      ensureStack();
      need(1, arguments.length, "dispatchEvent");
      if (typeof event !== "object" || event === null || !isEvent(event)) {
        throw new TypeError("dispatchEvent takes an Event");
      }
      if (isRunning(event)) {
        throw new DOMException("the event is being dispatched already", "InvalidStateError");
      }
      return dispatch(this, event);
    }

    #find(type, callback, capture) {
      const listeners = this.#listeners[type];
      if (listeners === undefined) return null;
      for (let i = 0; i < listeners.length; i++) {
        if (listeners[i].callback === callback && listeners[i].capture === capture) {
          return listeners[i];
        }
      }
      return null;
    }

    #remove(listener) {
      const type = listener.type;
      listener.removed = true;
      if (this.#listeners[type] !== undefined) {
        this.#listeners[type] = without(this.#listeners[type], listener);
      }
    }
  }
  tag(EventTarget.prototype, "EventTarget");
  expose("EventTarget", EventTarget);

  function isEvent(value) {
    try {
      isRunning(value);
      return true;
    } catch {
      return false;
    }
  }

  function call(callback, target, event) {
    try {
      if (typeof callback === "function") {
        ReflectApply(callback, target, [event]);
        return;
      }
      const handle = callback.handleEvent;
      if (typeof handle !== "function") throw new TypeError("the listener has no handleEvent");
      ReflectApply(handle, callback, [event]);
    } catch (error) {
      internals.fail(error);
    }
  }

  internals.dispatchEvent = dispatch;
})(globalThis);
