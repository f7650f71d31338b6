// How a run ends: what the script returned, or the error that nothing caught, as text for the host.
//
// The host reads errors only from here, never from the script's objects: a getter, a proxy, an
// array of four billion holes or a stack that is no text must be no more than odd to look at.
"use strict";

((globalThis) => {
  const { core, primordials, internals } = globalThis.__bootstrap;
  const {
    ArrayIsArray,
    ArrayPrototypePop,
    ArrayPrototypePush,
    JSONStringify,
    ObjectHasOwn,
    ReflectApply,
    ReflectGetOwnPropertyDescriptor,
    SafeSet,
    StringPrototypeIncludes,
    TypeError,
  } = primordials;
  const { op_fail } = core.ops;
  const { expose, facts, list, ownValue } = internals;
  const { shorten } = internals.layout;

  /** Causes below causes, and errors that are reported in all. */
  const DEPTH = 8;
  const ERRORS = 10;
  const MOST = 50;
  const MESSAGE_LENGTH = 10000;

  function isObject(value) {
    return typeof value === "function" || (typeof value === "object" && value !== null);
  }

  /** What is told of an error; of anything else, the text that the console would show. */
  function record(error, state, depth) {
    state.count++;
    if (!isObject(error) || !core.isNativeError(error)) {
      const message = shorten(internals.inspect(error), MESSAGE_LENGTH);
      return { __proto__: null, name: "", message };
    }
    const told = {
      __proto__: null,
      name: facts.errorName(error),
      message: facts.errorMessage(error),
    };
    const failure = internals.failureOf(error);
    if (failure !== undefined) told.kind = failure.kind;
    // Once is enough for one that is met again.
    if (state.seen.has(error)) return told;
    state.seen.add(error);
    told.stack = facts.errorFrames(error);
    if (depth >= DEPTH || state.count >= MOST) return told;
    const cause = ReflectGetOwnPropertyDescriptor(error, "cause");
    if (cause !== undefined && ObjectHasOwn(cause, "value") && cause.value !== undefined) {
      told.cause = record(cause.value, state, depth + 1);
    }
    const errors = facts.unwrap(ownValue(error, "errors"));
    if (ArrayIsArray(errors) && errors.length > 0) {
      told.errors = list();
      for (let i = 0; i < errors.length && i < ERRORS && state.count < MOST; i++) {
        ArrayPrototypePush(told.errors, record(ownValue(errors, i), state, depth + 1));
      }
      told.more = errors.length - told.errors.length;
    }
    return told;
  }

  /** The error as JSON text. */
  function describe(error) {
    const told = record(error, { __proto__: null, count: 0, seen: new SafeSet() }, 0);
    const passed = isObject(error) ? internals.limitOf(error) : undefined;
    if (passed !== undefined) {
      told.limit = passed.limit;
      told.limitMessage = passed.message;
    }
    // A promise that was taken for its value: known only where a call's promise was let go.
    if (told.name === "TypeError") {
      const loose = internals.looseCall();
      if (loose !== undefined) {
        told.hint = `\`${loose.name}\` was called without \`await\` in line ${loose.line}: ` +
          "what it returns is a promise, not the result";
      }
    }
    return JSONStringify(told);
  }

  /** Ends the run by an error that nothing caught. */
  internals.fail = (error) => {
    op_fail(describe(error));
  };

  core.setUnhandledPromiseRejectionHandler((_promise, reason) => {
    internals.fail(reason);
    return true;
  });

  /** The path of a promise in a value, where JSON would have `{}`; null if there is none. */
  internals.promiseIn = (value) => {
    let found = null;
    const path = list();
    try {
      JSONStringify(value, function (key, member) {
        if (found !== null) return undefined;
        while (path.length > 0 && path[path.length - 1].holder !== this) ArrayPrototypePop(path);
        if (isObject(member) && !core.isProxy(member)) {
          if (core.isPromise(member)) {
            found = "";
            for (let i = 0; i < path.length; i++) found += step(path[i].key, found !== "");
            found += step(key, found !== "");
            return undefined;
          }
          ArrayPrototypePush(path, { __proto__: null, holder: member, key });
        }
        return member;
      });
    } catch {
      return null;
    }
    return found;
  };

  function step(key, more) {
    if (key === "") return "";
    return more ? `.${shorten(key, 100)}` : shorten(key, 100);
  }

  /** What the script returned: `v` and JSON, `u` for nothing, or `e` and the error's JSON. */
  internals.finish = (value) => {
    // What the value's own code might still begin comes too late.
    internals.isOver = true;
    if (value === undefined) return "u";
    try {
      const text = JSONStringify(value);
      if (text === undefined) return "u";
      if (StringPrototypeIncludes(text, "{}")) {
        const path = internals.promiseIn(value);
        if (path !== null) {
          const where = `the returned value has a promise at \`${path}\``;
          internals.hint("returned", `${where}, which is \`{}\` in JSON: await it`);
        }
      }
      if (StringPrototypeIncludes(text, "[object Promise]")) {
        internals.hintOfText("the returned value");
      }
      return `v${text}`;
    } catch (cause) {
      const reason = core.isNativeError(cause)
        ? facts.errorMessage(cause)
        : internals.inspect(cause);
      const error = new TypeError(`the returned value cannot be written as JSON: ${reason}`, {
        __proto__: null,
        cause,
      });
      return `e${describe(error)}`;
    }
  };

  /** What the script threw. */
  internals.describe = describe;

  let enqueue;
  /** The engine's own; there is none yet when the snapshot is made. */
  internals.setMicrotasks = (native) => {
    enqueue = native;
  };

  const globals = {
    queueMicrotask(callback) {
      if (typeof callback !== "function") throw new TypeError("queueMicrotask takes a function");
      enqueue(() => {
        try {
          ReflectApply(callback, undefined, []);
        } catch (error) {
          internals.fail(error);
        }
      });
    },
  };
  expose("queueMicrotask", globals.queueMicrotask);
})(globalThis);
