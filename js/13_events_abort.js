// AbortController and AbortSignal, as DOM §3 has them.
//
// Our own code uses signals through `internals.signals`, whatever a script did to their prototype.
"use strict";

((globalThis) => {
  const { primordials, internals } = globalThis.__bootstrap;
  const { ArrayPrototypePush, MathMin, NumberIsFinite, ReflectApply, TypeError, uncurryThis } =
    primordials;
  const { dispatchEvent, DOMException, ensureStack, expose, list, need, tag, without } = internals;
  const { Event, EventTarget } = globalThis;
  const LONGEST_MS = 2147483647;
  const listen = uncurryThis(EventTarget.prototype.addEventListener);

  const secret = { __proto__: null };
  let isSignal, isAborted, reasonOf, onAbort, offAbort, abort, follow, make;

  class AbortSignal extends EventTarget {
    #aborted = false;
    #reason = undefined;
    /** What runs on abort before the listeners of the script. */
    #steps = list();
    /** Whether AbortSignal.any made it, and of what; and those that were made of this one. */
    #isMade = false;
    #sources = list();
    #dependents = list();
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
        ensureStack();
        // All of them are aborted before any of their listeners runs.
        const signals = signal.#dependents;
        signal.#dependents = list();
        settle(signal, reason);
        for (let i = 0; i < signals.length; i++) settle(signals[i], reason);
        announce(signal);
        for (let i = 0; i < signals.length; i++) announce(signals[i]);
      };
      const settle = (signal, reason) => {
        signal.#aborted = true;
        signal.#reason = reason;
        const sources = signal.#sources;
        signal.#sources = list();
        for (let i = 0; i < sources.length; i++) {
          sources[i].#dependents = without(sources[i].#dependents, signal);
        }
      };
      const announce = (signal) => {
        const steps = signal.#steps;
        signal.#steps = list();
        for (let i = 0; i < steps.length; i++) steps[i]();
        dispatchEvent(signal, new Event("abort"));
      };
      follow = (signal, source) => {
        // A signal made of others passes on what it follows, so that one step reaches all.
        const sources = source.#sources;
        for (let i = 0; i < sources.length; i++) follow(signal, sources[i]);
        if (source.#isMade) return;
        for (let i = 0; i < signal.#sources.length; i++) {
          if (signal.#sources[i] === source) return;
        }
        ArrayPrototypePush(signal.#sources, source);
        ArrayPrototypePush(source.#dependents, signal);
      };
      make = () => {
        const signal = new AbortSignal(secret);
        signal.#isMade = true;
        return signal;
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
      internals.startTimer(expire, MathMin(delay, LONGEST_MS), [], false);
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
      const signal = make();
      for (let i = 0; i < sources.length; i++) {
        if (!isAborted(sources[i])) continue;
        abort(signal, reasonOf(sources[i]));
        return signal;
      }
      for (let i = 0; i < sources.length; i++) follow(signal, sources[i]);
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
