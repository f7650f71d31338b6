// AbortController and AbortSignal, as DOM §3 has them.
//
// Our own code uses signals through `internals.signals`, whatever a script did to their prototype.
"use strict";

((globalThis) => {
  const { primordials, internals } = globalThis.__bootstrap;
  const { ArrayPrototypePush, NumberIsFinite, ReflectApply, TypeError, uncurryThis } = primordials;
  const { dispatchEvent, DOMException, expose, list, need, tag, without } = internals;
  const { Event, EventTarget } = globalThis;
  const listen = uncurryThis(EventTarget.prototype.addEventListener);

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
        dispatchEvent(signal, new Event("abort"));
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
