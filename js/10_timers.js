// setTimeout, setInterval and their clear functions (HTML §8.7) over deno_core's timers.
//
// Differences: a callback must be a function (no code from strings), and the number of timers that
// are live at once has a bound, `timers`, since each holds memory and a place in the queue.
"use strict";

((globalThis) => {
  const { core, primordials, internals } = globalThis.__bootstrap;
  const { MathTrunc, RangeError, ReflectApply, SafeMap, TypeError } = primordials;
  const { expose } = internals;

  const LONGEST_MS = 2147483647;
  const NESTED_MS = 4;
  const NESTED_LEVEL = 5;

  /** Live timers by id. */
  const live = new SafeMap();
  let lastId = 0;
  /** How deeply the running callback is nested in other timers' callbacks; 0 outside of them. */
  let nesting = 0;

  /** Starts a timer and returns its id. A timer that is not `refed` does not keep the run alive. */
  function start(callback, delay, args, repeats, refed) {
    const limit = internals.limits.timers;
    if (live.size >= limit) {
      throw new RangeError(`${live.size} timers are live, \`timers\` allows ${limit}`);
    }
    const id = ++lastId;
    const entry = {
      __proto__: null,
      id,
      callback,
      delay: delay >= 1 && delay <= LONGEST_MS ? MathTrunc(delay) : 1,
      args,
      repeats,
      refed,
      nesting,
      timer: null,
    };
    live.set(id, entry);
    schedule(entry);
    return id;
  }

  function schedule(entry) {
    const delay = entry.nesting > NESTED_LEVEL && entry.delay < NESTED_MS ? NESTED_MS : entry.delay;
    entry.nesting += 1;
    entry.timer = core.createTimer(() => fire(entry), delay, undefined, false, entry.refed);
  }

  function fire(entry) {
    const outer = nesting;
    nesting = entry.nesting;
    if (!entry.repeats) live.delete(entry.id);
    try {
      ReflectApply(entry.callback, globalThis, entry.args);
    } finally {
      nesting = outer;
      if (entry.repeats && live.has(entry.id)) schedule(entry);
    }
  }

  function clear(id) {
    // Ids are numbers, but the platform converts what it is given.
    if (typeof id === "string") id = +id;
    const entry = live.get(id);
    if (entry === undefined) return;
    live.delete(id);
    core.cancelTimer(entry.timer);
  }

  function check(callback, what) {
    if (typeof callback === "function") return;
    throw new TypeError(
      typeof callback === "string"
        ? `${what} takes a function: code in strings is not run`
        : `${what} takes a function`,
    );
  }

  // As methods of a literal, these cannot be called with `new`.
  const globals = {
    setTimeout(callback, delay = 0, ...args) {
      check(callback, "setTimeout");
      return start(callback, +delay, args, false, true);
    },
    setInterval(callback, delay = 0, ...args) {
      check(callback, "setInterval");
      return start(callback, +delay, args, true, true);
    },
    clearTimeout(id = undefined) {
      clear(id);
    },
    clearInterval(id = undefined) {
      clear(id);
    },
  };
  expose("setTimeout", globals.setTimeout);
  expose("setInterval", globals.setInterval);
  expose("clearTimeout", globals.clearTimeout);
  expose("clearInterval", globals.clearInterval);

  internals.startTimer = start;
  internals.clearTimer = clear;
})(globalThis);
