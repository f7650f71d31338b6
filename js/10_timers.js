// setTimeout, setInterval and their clear functions (HTML §8.7).
//
// The host has one alarm for all of them: it is set to the time of the next timer, and then the
// host calls `tick`, which runs one. Between two timers the host lets microtasks run.
//
// Not deno_core's timers: those keep internal objects in ordinary arrays and objects, where setters
// that a script puts on a prototype would be handed them.
//
// Differences: a callback must be a function (no code from strings), and the number of timers that
// are live at once has a bound, `timers`, since each holds memory and a place in the queue.
"use strict";

((globalThis) => {
  const { core, primordials, internals } = globalThis.__bootstrap;
  const {
    ArrayPrototypePop,
    ArrayPrototypePush,
    MathRound,
    MathTrunc,
    RangeError,
    ReflectApply,
    SafeMap,
    TypeError,
  } = primordials;
  const { op_alarm, op_now } = core.ops;
  const { ensureStack, expose, list, overLimit } = internals;

  const LONGEST_MS = 2147483647;
  const NESTED_MS = 4;
  const NESTED_LEVEL = 5;
  /** Times are whole tenths of a millisecond, which is what the clock gives. */
  const TENTHS = 10;

  /** Live timers by id. */
  const live = new SafeMap();
  let lastId = 0;
  /** How deeply the running callback is nested in other timers' callbacks; 0 outside of them. */
  let nesting = 0;

  /** A binary heap of the timers that wait, soonest first. An entry knows its place in it. */
  const heap = list();
  /** Tells apart timers of the same time: first come, first served. */
  let lastOrder = 0;

  function now() {
    return MathRound(op_now() * TENTHS);
  }

  function isSooner(a, b) {
    return a.due < b.due || (a.due === b.due && a.order < b.order);
  }

  function place(entry, at) {
    heap[at] = entry;
    entry.at = at;
  }

  function sink(entry, at) {
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isSooner(heap[child + 1], heap[child])) child++;
      if (isSooner(entry, heap[child])) break;
      place(heap[child], at);
      at = child;
    }
    place(entry, at);
  }

  function rise(entry, at) {
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (isSooner(heap[parent], entry)) break;
      place(heap[parent], at);
      at = parent;
    }
    place(entry, at);
  }

  function insert(entry) {
    entry.order = ++lastOrder;
    ArrayPrototypePush(heap, entry);
    rise(entry, heap.length - 1);
  }

  function remove(entry) {
    const at = entry.at;
    const last = ArrayPrototypePop(heap);
    entry.at = -1;
    if (last === entry) return;
    if (at > 0 && isSooner(last, heap[(at - 1) >> 1])) rise(last, at);
    else sink(last, at);
  }

  /** Tells the host when to call `tick`. */
  function setAlarm() {
    op_alarm(heap.length === 0 ? -1 : heap[0].due / TENTHS);
  }

  /** Starts a timer and returns its id. */
  function start(callback, delay, args, repeats) {
    ensureStack();
    const limit = internals.limits.timers;
    if (live.size >= limit) {
      const message = `${live.size} timers are live, \`timers\` allows ${limit}; ` +
        "await some of them first";
      throw overLimit(new RangeError(message), "timers", message);
    }
    const id = ++lastId;
    const entry = {
      __proto__: null,
      id,
      callback,
      delay: delay >= 1 && delay <= LONGEST_MS ? MathTrunc(delay) : 1,
      args,
      repeats,
      nesting,
      due: 0,
      order: 0,
      at: -1,
    };
    live.set(id, entry);
    schedule(entry);
    setAlarm();
    return id;
  }

  function schedule(entry) {
    const delay = entry.nesting > NESTED_LEVEL && entry.delay < NESTED_MS ? NESTED_MS : entry.delay;
    entry.nesting += 1;
    entry.due = now() + delay * TENTHS;
    insert(entry);
  }

  /** Runs the callback of the next timer, if its time has come. */
  internals.tick = () => {
    const entry = heap[0];
    if (entry === undefined || entry.due > now()) {
      setAlarm();
      return;
    }
    remove(entry);
    if (!entry.repeats) live.delete(entry.id);
    const outer = nesting;
    nesting = entry.nesting;
    try {
      ReflectApply(entry.callback, globalThis, entry.args);
    } catch (error) {
      internals.fail(error);
    } finally {
      nesting = outer;
      if (entry.repeats && live.has(entry.id)) schedule(entry);
      setAlarm();
    }
  };

  function clear(id) {
    // Ids are numbers, but the platform converts what it is given.
    if (typeof id === "string") id = +id;
    const entry = live.get(id);
    if (entry === undefined) return;
    ensureStack();
    live.delete(id);
    if (entry.at >= 0) {
      remove(entry);
      setAlarm();
    }
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
      return start(callback, +delay, args, false);
    },
    setInterval(callback, delay = 0, ...args) {
      check(callback, "setInterval");
      return start(callback, +delay, args, true);
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
