// console, as the Console Standard has it, over one op that takes a level and a text.
//
// No method throws: a script must not fail because it looked at something odd. Levels: 0 debug,
// 1 log, 2 info, 3 warn, 4 error; each method has the level of its group in the standard.
"use strict";

((globalThis) => {
  const { core, primordials, internals } = globalThis.__bootstrap;
  const {
    ErrorCaptureStackTrace,
    JSONStringify,
    Number,
    NumberParseFloat,
    NumberParseInt,
    SafeMap,
    StringPrototypeCharCodeAt,
    StringPrototypeIncludes,
    StringPrototypeIndexOf,
    StringPrototypeSlice,
  } = primordials;
  const { op_console, op_now } = core.ops;
  const { expose, facts, inspectValue, layout, ownValue, printing, tag } = internals;
  const { printPrimitive } = printing;
  const { indentRest, plural, shorten, spaces } = layout;

  const DEBUG = 0;
  const LOG = 1;
  const INFO = 2;
  const WARN = 3;
  const ERROR = 4;

  /** Characters of one call. */
  const LENGTH = 262144;
  const GROUPS = 20;
  /** What a promise is in a template. */
  const PROMISE_TEXT = "[object Promise]";

  let groups = 0;
  const counts = new SafeMap();
  const timers = new SafeMap();

  function isObject(value) {
    return typeof value === "function" || (typeof value === "object" && value !== null);
  }

  function write(level, text) {
    text = shorten(text, LENGTH);
    const indent = 2 * (groups < GROUPS ? groups : GROUPS);
    if (indent > 0) text = shorten(spaces(indent) + indentRest(text, indent), LENGTH);
    op_console(level, text);
  }

  /** What one value is among the arguments: strings as they are, all else printed. */
  function plain(value, depth) {
    return typeof value === "string" ? value : inspectValue(value, depth);
  }

  function json(value) {
    try {
      // This one may run toJSON and getters: the script asked for JSON.
      return `${JSONStringify(value)}`;
    } catch (error) {
      const message = core.isNativeError(error) ? facts.errorMessage(error) : "";
      return StringPrototypeIncludes(message, "circular structure") ? "[Circular]" : "[not JSON]";
    }
  }

  function number(value, convert) {
    if (typeof value === "bigint") return printPrimitive(value);
    if (isObject(value) || typeof value === "symbol") return "NaN";
    return printPrimitive(convert(value));
  }

  /** What replaces a specifier, or null if the letter is none. */
  function replacement(code, value) {
    switch (code) {
      case 0x73: // s
        if (typeof value === "string") return value;
        return isObject(value) ? inspectValue(value, 0) : printPrimitive(value);
      case 0x64: // d
        return number(value, Number);
      case 0x69: // i
        return number(value, NumberParseInt);
      case 0x66: // f
        return number(value, NumberParseFloat);
      case 0x6a: // j
        return json(value);
      case 0x6f: // o
      case 0x4f: // O
        return inspectValue(value);
      case 0x63: // c
        return "";
      default:
        return null;
    }
  }

  /** One text of all arguments; specifiers count only in a first string that others follow. */
  function format(args) {
    let out = "";
    let next = 0;
    if (args.length > 1 && typeof args[0] === "string" && StringPrototypeIncludes(args[0], "%")) {
      const pattern = args[0];
      next = 1;
      let from = 0;
      let at = StringPrototypeIndexOf(pattern, "%");
      while (at !== -1 && at + 1 < pattern.length) {
        const code = StringPrototypeCharCodeAt(pattern, at + 1);
        let instead = null;
        if (code === 0x25) instead = "%";
        else if (next < args.length && out.length <= LENGTH) {
          instead = replacement(code, args[next]);
          if (instead !== null) next++;
        }
        if (instead !== null) {
          out += StringPrototypeSlice(pattern, from, at) + instead;
          from = at + 2;
          at += 2;
        } else {
          at += 1;
        }
        at = StringPrototypeIndexOf(pattern, "%", at);
      }
      out += StringPrototypeSlice(pattern, from);
    }
    for (; next < args.length && out.length <= LENGTH; next++) {
      out += next === 0 ? plain(args[next]) : ` ${plain(args[next])}`;
    }
    if (next === args.length) return out;
    return `${shorten(out, LENGTH - 100)} and ${plural(args.length - next, "argument")}`;
  }

  /** Does what a method does, whatever happens in it. */
  function quietly(work) {
    try {
      work();
    } catch {
      try {
        op_console(ERROR, "[the console could not print this]");
      } catch { /* nothing is left to do it with */ }
    }
  }

  function print(level, args) {
    quietly(() => {
      internals.pendingSeen = false;
      const text = format(args);
      write(level, text);
      if (internals.pendingSeen) {
        internals.hint("printed", "a promise was printed before it had settled: await it first");
      }
      if (StringPrototypeIncludes(text, PROMISE_TEXT)) internals.hintOfText("what was printed");
    });
  }

  /** Kinds of hints that have been given: one of each is enough. */
  const given = { __proto__: null };

  /** A line that says what the script has probably done wrong, for whoever reads its console. */
  internals.hint = (kind, text) => {
    if (given[kind]) return;
    given[kind] = true;
    op_console(WARN, `hint: ${text}`);
  };

  internals.hintOfText = (where) => {
    const what = `${where} holds "${PROMISE_TEXT}": a promise was made into text`;
    internals.hint("text", `${what}, await it first`);
  };

  function labelOf(label) {
    return typeof label === "string" ? label : inspectValue(label, 0);
  }

  function elapsed(label) {
    return `${label}: ${op_now() - timers.get(label)}ms`;
  }

  function timerText(label, args) {
    let text = elapsed(label);
    for (let i = 0; i < args.length; i++) text += ` ${plain(args[i])}`;
    return text;
  }

  function warnOfTimer(label) {
    write(WARN, `Timer '${label}' does not exist`);
  }

  const console = {
    log(...args) {
      print(LOG, args);
    },
    debug(...args) {
      print(DEBUG, args);
    },
    info(...args) {
      print(INFO, args);
    },
    warn(...args) {
      print(WARN, args);
    },
    error(...args) {
      print(ERROR, args);
    },
    dir(item = undefined, options = undefined) {
      quietly(() => {
        const given = isObject(options) ? facts.unwrap(options) : null;
        const depth = given === null ? undefined : ownValue(given, "depth");
        const isDepth = typeof depth === "number" && depth >= 0;
        write(LOG, inspectValue(item, isDepth ? depth < 20 ? depth : 20 : undefined));
      });
    },
    dirxml(...args) {
      print(LOG, args);
    },
    trace(...args) {
      quietly(() => {
        const text = format(args);
        const at = { __proto__: null, stack: "" };
        ErrorCaptureStackTrace(at, console.trace);
        write(LOG, (text === "" ? "Trace" : `Trace: ${text}`) + facts.callers(at));
      });
    },
    assert(condition = false, ...args) {
      if (condition) return;
      quietly(() => {
        const text = format(args);
        write(ERROR, text === "" ? "Assertion failed" : `Assertion failed: ${text}`);
      });
    },
    clear() {},
    count(label = "default") {
      quietly(() => {
        label = labelOf(label);
        const count = (counts.get(label) ?? 0) + 1;
        counts.set(label, count);
        write(INFO, `${label}: ${count}`);
      });
    },
    countReset(label = "default") {
      quietly(() => {
        label = labelOf(label);
        if (!counts.delete(label)) write(WARN, `Count for '${label}' does not exist`);
      });
    },
    group(...args) {
      if (args.length > 0) print(LOG, args);
      groups += 1;
    },
    groupCollapsed(...args) {
      if (args.length > 0) print(LOG, args);
      groups += 1;
    },
    groupEnd() {
      if (groups > 0) groups -= 1;
    },
    table(data = undefined, columns = undefined) {
      quietly(() => {
        const text = internals.tableText(data, columns);
        if (text === null) write(LOG, format([data]));
        else write(LOG, text);
      });
    },
    time(label = "default") {
      quietly(() => {
        label = labelOf(label);
        if (timers.has(label)) write(WARN, `Timer '${label}' already exists`);
        else timers.set(label, op_now());
      });
    },
    timeLog(label = "default", ...args) {
      quietly(() => {
        label = labelOf(label);
        if (timers.has(label)) write(LOG, timerText(label, args));
        else warnOfTimer(label);
      });
    },
    timeEnd(label = "default") {
      quietly(() => {
        label = labelOf(label);
        if (!timers.has(label)) return warnOfTimer(label);
        write(INFO, elapsed(label));
        timers.delete(label);
      });
    },
  };
  tag(console, "console");
  expose("console", console);
})(globalThis);
