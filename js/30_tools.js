// What a script calls tools with: a global async function for each tool, `mcp.callTool` and
// `mcp.callToolRaw` for names that are computed, and the classes of what comes back.
//
// Only text leaves: the input as JSON, and only text comes back. A result begins with a letter:
// `v` for a value, `c` for the content of a ToolResult, `e` for a failure.
"use strict";

((globalThis) => {
  const { core, primordials, internals } = globalThis.__bootstrap;
  const {
    ArrayIsArray,
    Error,
    ErrorCaptureStackTrace,
    JSONParse,
    JSONStringify,
    ObjectDefineProperty,
    ObjectFreeze,
    ObjectHasOwn,
    ObjectKeys,
    StringPrototypeCharCodeAt,
    StringPrototypeSlice,
    SymbolFor,
    TypeError,
  } = primordials;
  const { op_call_begin, op_call_cancel, op_call_wait } = core.ops;
  const { define, expose, ownValue, signals, tag } = internals;

  /** The servers and tools of the functions, by function name. */
  let functions = { __proto__: null };

  // deno_core reports the properties that this symbol names; ToolError's `kind` is one.
  const reported = SymbolFor("errorAdditionalPropertyKeys");

  class ToolError extends Error {
    constructor(message, properties = undefined) {
      super(message);
      if (properties != null) describe(this, properties);
    }
  }
  define(ToolError.prototype, "name", "ToolError");
  ObjectDefineProperty(ToolError.prototype, reported, {
    __proto__: null,
    value: ["kind"],
  });
  expose("ToolError", ToolError);

  /** Gives an object a property that shows, by definition and not by assignment. */
  function field(target, name, value) {
    ObjectDefineProperty(target, name, {
      __proto__: null,
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }

  /** Gives an error the fields of a failure. */
  function describe(error, failure) {
    const names = ObjectKeys(failure);
    for (let i = 0; i < names.length; i++) {
      const name = names[i];
      if (name === "message") define(error, name, failure.message);
      else field(error, name, failure[name]);
    }
    return error;
  }

  class ToolResult {
    constructor(result) {
      const content = ownValue(result, "content");
      const blocks = ArrayIsArray(content) ? content : [];
      field(this, "text", joinText(blocks));
      field(this, "content", blocks);
      if (ObjectHasOwn(result, "structuredContent")) {
        field(this, "structuredContent", ownValue(result, "structuredContent"));
      }
    }

    /** The text parsed as JSON. */
    json() {
      try {
        return JSONParse(this.text);
      } catch (cause) {
        throw new TypeError(`the tool's text is not JSON: ${cause.message}`, { cause });
      }
    }

    toString() {
      return this.text;
    }
  }
  tag(ToolResult.prototype, "ToolResult");
  expose("ToolResult", ToolResult);

  /** The texts of all text blocks, a line each. */
  function joinText(blocks) {
    let text = "";
    let first = true;
    for (let i = 0; i < blocks.length; i++) {
      const block = blocks[i];
      if (typeof block !== "object" || block === null) continue;
      if (ownValue(block, "type") !== "text") continue;
      const part = ownValue(block, "text");
      if (typeof part !== "string") continue;
      text = first ? part : `${text}\n${part}`;
      first = false;
    }
    return text;
  }

  function invalidInput(error, message, cause) {
    describe(error, { __proto__: null, kind: "invalid_input", message });
    if (cause !== undefined) define(error, "cause", cause);
    return error;
  }

  /** The input as JSON text; `error` is what to throw if it has none. */
  function write(input, error) {
    if (input === undefined) return "{}";
    let text;
    try {
      text = JSONStringify(input);
    } catch (cause) {
      throw invalidInput(error, "the input cannot be written as JSON", cause);
    }
    if (text === undefined || typeof input !== "object" || input === null || ArrayIsArray(input)) {
      throw invalidInput(error, "the input must be an object with the tool's parameters");
    }
    return text;
  }

  async function call(name, input, options, raw, caller) {
    // Made here and not when the call fails: here the line of the script is on the stack, right
    // above the function that it called.
    const error = new ToolError("");
    ErrorCaptureStackTrace(error, caller);
    const known = functions[name];
    if (known !== undefined) describe(error, known);
    const timeout = options == null ? undefined : options.timeoutMs;
    const signal = options == null ? undefined : options.signal;
    if (timeout !== undefined && !(timeout > 0)) {
      throw invalidInput(error, "`timeoutMs` must be a number of milliseconds above zero");
    }
    if (signal !== undefined && !signals.is(signal)) {
      throw invalidInput(error, "`signal` must be an AbortSignal");
    }
    const text = write(input, error);
    if (signal !== undefined && signals.isAborted(signal)) {
      const message = "the call was aborted before it was made; nothing was sent";
      throw describe(error, { __proto__: null, kind: "cancelled", message });
    }

    const id = op_call_begin(name, text, raw, timeout === undefined ? 0 : +timeout);
    const cancel = () => op_call_cancel(id);
    if (signal !== undefined) signals.onAbort(signal, cancel);
    const result = await op_call_wait(id);
    if (signal !== undefined) signals.offAbort(signal, cancel);

    const value = JSONParse(StringPrototypeSlice(result, 1));
    switch (StringPrototypeCharCodeAt(result, 0)) {
      case 0x76:
        return value;
      case 0x63:
        return new ToolResult(value);
      default:
        throw describe(error, value);
    }
  }

  function callTool(name, input = undefined, options = undefined) {
    return call(`${name}`, input, options, false, callTool);
  }

  function callToolRaw(name, input = undefined, options = undefined) {
    return call(`${name}`, input, options, true, callToolRaw);
  }

  const mcp = { __proto__: null };
  define(mcp, "callTool", callTool);
  define(mcp, "callToolRaw", callToolRaw);
  tag(mcp, "mcp");
  ObjectDefineProperty(globalThis, "mcp", {
    __proto__: null,
    value: ObjectFreeze(mcp),
    writable: false,
    enumerable: false,
    configurable: false,
  });

  /** Before a run: defines its functions and sets its limits. */
  internals.start = (text) => {
    const job = JSONParse(text);
    internals.limits.timers = job.timers;
    for (let i = 0; i < job.functions.length; i++) {
      const { name, server, tool } = job.functions[i];
      functions[name] = { __proto__: null, tool, server };
      const stub = {
        [name](input = undefined, options = undefined) {
          return call(name, input, options, false, stub);
        },
      }[name];
      ObjectDefineProperty(globalThis, name, {
        __proto__: null,
        value: stub,
        writable: false,
        enumerable: true,
        configurable: false,
      });
    }
  };

  /** After a run: what the script returned, as JSON text. */
  internals.finish = async (promise) => {
    let value;
    try {
      value = await promise;
    } catch (error) {
      if (core.isNativeError(error)) throw error;
      // Rust reads errors; anything else it gets as the text that the console would show.
      const shown = new Error(internals.inspect(error));
      define(shown, "name", "");
      throw shown;
    }
    if (value === undefined) return undefined;
    try {
      return JSONStringify(value);
    } catch (cause) {
      throw new TypeError(`the returned value cannot be written as JSON: ${cause.message}`, {
        cause,
      });
    }
  };
})(globalThis);
