// Event, EventTarget, CustomEvent, AbortController and AbortSignal, as DOM §2 and §3 have them
// for targets without a tree.
//
// Differences: no capture phase, no `passive`; what a listener throws is reported as an uncaught
// error and so ends the run, like an error of a timer's callback.
"use strict";

((globalThis) => {
  const { core, primordials, internals } = globalThis.__bootstrap;
  const {
    ArrayPrototypePush,
    NumberIsFinite,
    ObjectDefineProperty,
    ReflectApply,
    TypeError,
  } = primordials;
  const { op_now } = core.ops;
  const { DOMException, expose, list, need, tag, toArray } = internals;

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

  function without(values, unwanted) {
    const kept = list();
    for (let i = 0; i < values.length; i++) {
      if (values[i] !== unwanted) ArrayPrototypePush(kept, values[i]);
    }
    return kept;
  }

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
      need(2, arguments.length, "addEventListener");
      type = `${type}`;
      const given = typeof options === "object" || typeof options === "function" ? options : null;
      const capture = given === null ? !!options : !!given.capture;
      const once = given !== null && !!given.once;
      const signal = given === null ? undefined : given.signal;
      if (signal !== undefined && !isSignal(signal)) {
        throw new TypeError("the `signal` of a listener must be an AbortSignal");
      }
      if (callback == null) return;
      if (typeof callback !== "function" && typeof callback !== "object") {
        throw new TypeError("a listener is a function or an object with handleEvent");
      }
      if (signal !== undefined && isAborted(signal)) return;
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
      if (signal !== undefined) onAbort(signal, () => this.#remove(listener));
    }

    removeEventListener(type, callback, options = undefined) {
      this.#listeners;
      need(2, arguments.length, "removeEventListener");
      const isObject = typeof options === "object" || typeof options === "function";
      const capture = isObject ? options !== null && !!options.capture : !!options;
      const listener = this.#find(`${type}`, callback, capture);
      if (listener !== null) this.#remove(listener);
    }

    dispatchEvent(event) {
      this.#listeners;
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
      core.reportUnhandledException(error);
    }
  }

  const secret = { __proto__: null };
  let isSignal, isAborted, reasonOf, onAbort, offAbort, abort;

  class AbortSignal extends EventTarget {
    #aborted = false;
    #reason = undefined;
    /** What runs on abort before the listeners of the script. */
    #steps = list();
    #onabort = null;
    #listens = false;

    constructor(key = undefined) {
      if (key !== secret) throw new TypeError("AbortSignal is made by an AbortController");
      super();
    }

    static {
      isSignal = (value) =>
        (typeof value === "object" || typeof value === "function") && value !== null &&
        #aborted in value;
      isAborted = (signal) => signal.#aborted;
      reasonOf = (signal) => signal.#reason;
      onAbort = (signal, step) => {
        ArrayPrototypePush(signal.#steps, step);
      };
      offAbort = (signal, step) => {
        signal.#steps = without(signal.#steps, step);
      };
      abort = (signal, reason) => {
        if (signal.#aborted) return;
        signal.#aborted = true;
        signal.#reason = reason;
        const steps = signal.#steps;
        signal.#steps = list();
        for (let i = 0; i < steps.length; i++) steps[i]();
        dispatch(signal, new Event("abort"));
      };
    }

    static abort(reason = undefined) {
      const signal = new AbortSignal(secret);
      abort(signal, reason === undefined ? aborted() : reason);
      return signal;
    }

    static timeout(milliseconds) {
      need(1, arguments.length, "AbortSignal.timeout");
      const delay = +milliseconds;
      if (!NumberIsFinite(delay) || delay < 0) {
        throw new TypeError("AbortSignal.timeout takes milliseconds, zero or more");
      }
      const signal = new AbortSignal(secret);
      const expire = () =>
        abort(signal, new DOMException("The operation timed out", "TimeoutError"));
      internals.startTimer(expire, delay, [], false, false);
      return signal;
    }

    static any(signals) {
      need(1, arguments.length, "AbortSignal.any");
      const sources = list();
      // By protocol: what it walks is the script's own, and the standard says so.
      for (const source of signals) {
        if (!isSignal(source)) throw new TypeError("AbortSignal.any takes AbortSignals");
        ArrayPrototypePush(sources, source);
      }
      const signal = new AbortSignal(secret);
      for (let i = 0; i < sources.length; i++) {
        if (isAborted(sources[i])) {
          abort(signal, reasonOf(sources[i]));
          return signal;
        }
      }
      const steps = list();
      for (let i = 0; i < sources.length; i++) {
        const source = sources[i];
        ArrayPrototypePush(steps, () => {
          for (let j = 0; j < sources.length; j++) offAbort(sources[j], steps[j]);
          abort(signal, reasonOf(source));
        });
        onAbort(source, steps[i]);
      }
      return signal;
    }

    get aborted() {
      return this.#aborted;
    }
    get reason() {
      return this.#reason;
    }
    get onabort() {
      return this.#onabort;
    }
    set onabort(handler) {
      this.#onabort = typeof handler === "function" ? handler : null;
      if (this.#listens || this.#onabort === null) return;
      this.#listens = true;
      listen(this, "abort", (event) => {
        if (this.#onabort !== null) ReflectApply(this.#onabort, this, [event]);
      });
    }

    throwIfAborted() {
      if (this.#aborted) throw this.#reason;
    }
  }
  tag(AbortSignal.prototype, "AbortSignal");
  expose("AbortSignal", AbortSignal);
  const listen = primordials.uncurryThis(EventTarget.prototype.addEventListener);

  function aborted() {
    return new DOMException("This operation was aborted", "AbortError");
  }

  class AbortController {
    #signal = new AbortSignal(secret);

    get signal() {
      return this.#signal;
    }

    abort(reason = undefined) {
      abort(this.#signal, reason === undefined ? aborted() : reason);
    }
  }
  tag(AbortController.prototype, "AbortController");
  expose("AbortController", AbortController);

  /** Signals for our own use, whatever a script did to their prototype. */
  internals.signals = {
    __proto__: null,
    is: isSignal,
    isAborted,
    reason: reasonOf,
    onAbort,
    offAbort,
  };
  ArrayPrototypePush(
    internals.views,
    (value) =>
      isSignal(value)
        ? { __proto__: null, fields: { __proto__: null, aborted: isAborted(value) } }
        : undefined,
  );
})(globalThis);
