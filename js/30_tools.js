// What a script calls tools with: a global function for each tool, `mcp.callTool` and
// `mcp.callToolRaw` for names that are computed, `mcp.readResource` and `mcp.listResources` for what
// servers have to read, `mcp.searchTools`, `mcp.describeTool` and `mcp.listServers` for what there is,
// and the classes of what comes back.
//
// Only text leaves: the input as JSON, and only text comes back. A result begins with a letter:
// `v` for a value, `c` for the content of a ToolResult, `e` for a failure, `l` for one that is a
// limit of the run.
//
// A call's promise is made here and settled when the host calls `settle`. Nothing of deno_core is
// between: its asynchronous ops go through Function.prototype.call and through properties of
// promises, which a script can replace.
"use strict";

((globalThis) => {
  const { core, primordials, internals } = globalThis.__bootstrap;
  const {
    ArrayIsArray,
    ArrayPrototypePush,
    Error,
    ErrorCaptureStackTrace,
    JSONParse,
    JSONStringify,
    ObjectDefineProperty,
    ObjectFreeze,
    ObjectHasOwn,
    ObjectKeys,
    Promise,
    SafeMap,
    SafeWeakMap,
    StringPrototypeCharCodeAt,
    StringPrototypeIncludes,
    StringPrototypeSlice,
    StringPrototypeToWellFormed,
    TypeError,
  } = primordials;
  const { op_call_begin, op_call_cancel, op_has_handler } = core.ops;
  const { define, expose, list, overLimit, ownValue, signals, tag } = internals;

  /** Calls without `await` that are remembered, for a hint. */
  const LOOSE = 16;

  /** What a search may be told besides what is searched for. */
  const SEARCH_OPTIONS = ["server", "readOnly", "limit", "detail", "regex"];

  /** The servers and tools of the functions, by function name. */
  let functions = { __proto__: null };
  /** Calls that have not ended, by number. */
  const waiting = new SafeMap();
  let lastId = 0;
  /** Calls that ended before anything waited for them. */
  const loose = list();
  /** What failed calls threw: errors that only this file can make, with what is true of them. */
  const failures = new SafeWeakMap();

  class ToolError extends Error {
    constructor(message, properties = undefined) {
      super(message);
      if (properties != null) describe(this, properties);
    }
  }
  define(ToolError.prototype, "name", "ToolError");
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
      const block = ownValue(blocks, i);
      if (typeof block !== "object" || block === null) continue;
      if (ownValue(block, "type") !== "text") continue;
      const part = ownValue(block, "text");
      if (typeof part !== "string") continue;
      text = first ? part : `${text}\n${part}`;
      first = false;
    }
    return text;
  }

  /** An error of a call that failed here or at the host. */
  function failed(error, failure, limit = undefined) {
    const { kind, message } = failure;
    failures.set(error, { __proto__: null, kind });
    if (limit !== undefined) overLimit(error, limit, message);
    return describe(error, failure);
  }

  function invalidInput(error, message, cause) {
    failed(error, { __proto__: null, kind: "invalid_input", message });
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
    // Half a character, as a cut text may have, is nothing that the host could read.
    if (StringPrototypeIncludes(text, "\\ud")) text = JSONStringify(input, wellFormed);
    // A promise becomes `{}`: never what was meant, and sent it would do harm.
    if (core.isPromise(input)) throw invalidInput(error, "the input is a promise: await it first");
    if (StringPrototypeIncludes(text, "{}")) {
      const path = internals.promiseIn(input);
      if (path !== null) {
        throw invalidInput(error, `the input has a promise at \`${path}\`: await it first`);
      }
    }
    return text;
  }

  function wellFormed(_key, value) {
    return typeof value === "string" ? StringPrototypeToWellFormed(value) : value;
  }

  function call(name, input, options, raw, caller, about = functions[name]) {
    // Made here and not when the call fails: here the line of the script is on the stack, right
    // above the function that it called.
    const error = new ToolError("");
    ErrorCaptureStackTrace(error, caller);
    const entry = {
      __proto__: null,
      name,
      line: 0,
      error,
      promise: null,
      resolve: null,
      reject: null,
      signal: undefined,
      cancel: null,
    };
    entry.promise = new Promise((resolve, reject) => {
      entry.resolve = resolve;
      entry.reject = reject;
      if (about !== undefined) describe(error, about);
      begin(entry, input, options, raw);
    });
    return entry.promise;
  }

  function begin(entry, input, options, raw) {
    const { name, error } = entry;
    const timeout = options == null ? undefined : options.timeoutMs;
    const signal = options == null ? undefined : options.signal;
    if (timeout !== undefined && !(timeout > 0)) {
      throw invalidInput(error, "`timeoutMs` must be a number of milliseconds above zero");
    }
    if (signal !== undefined && !signals.is(signal)) {
      throw invalidInput(error, "`signal` must be an AbortSignal");
    }
    const milliseconds = timeout === undefined ? 0 : +timeout;
    const text = write(input, error);
    if (signal !== undefined && signals.isAborted(signal)) {
      const message = "the call was aborted before it was made; nothing was sent";
      throw failed(error, { __proto__: null, kind: "cancelled", message });
    }

    if (internals.isOver) {
      const message = "the script has ended; nothing was sent";
      throw failed(error, { __proto__: null, kind: "cancelled", message });
    }

    const id = ++lastId;
    entry.signal = signal;
    waiting.set(id, entry);
    if (signal !== undefined) {
      entry.cancel = () => op_call_cancel(id);
      signals.onAbort(signal, entry.cancel);
    }
    // Last: what could fail before this for want of stack has sent nothing.
    entry.line = op_call_begin(id, name, text, raw, milliseconds);
  }

  /** The host has the result of a call. */
  internals.settle = (id, result) => {
    const entry = waiting.get(id);
    if (entry === undefined) return;
    waiting.delete(id);
    const { error, signal } = entry;
    if (signal !== undefined) signals.offAbort(signal, entry.cancel);
    if (!op_has_handler(entry.promise) && loose.length < LOOSE) {
      ArrayPrototypePush(loose, entry);
    }
    const value = JSONParse(StringPrototypeSlice(result, 1));
    switch (StringPrototypeCharCodeAt(result, 0)) {
      case 0x76:
        entry.resolve(value);
        break;
      case 0x63:
        entry.resolve(new ToolResult(value));
        break;
      case 0x6c: {
        const { limit } = value;
        delete value.limit;
        entry.reject(failed(error, value, limit));
        break;
      }
      default:
        entry.reject(failed(error, value));
    }
  };

  /** What is known of an error that a call threw; undefined for all others. */
  internals.failureOf = (error) => failures.get(error);

  /** A call that nothing has waited for, if there was one. */
  internals.looseCall = () => {
    for (let i = 0; i < loose.length; i++) {
      if (!op_has_handler(loose[i].promise)) return loose[i];
    }
    for (let id = 1; id <= lastId; id++) {
      const entry = waiting.get(id);
      if (entry !== undefined && !op_has_handler(entry.promise)) return entry;
    }
    return undefined;
  };

  function callTool(name, input = undefined, options = undefined) {
    return call(`${name}`, input, options, false, callTool);
  }

  function callToolRaw(name, input = undefined, options = undefined) {
    return call(`${name}`, input, options, true, callToolRaw);
  }

  // To the host these are calls like all others, by names that no tool's function can have.
  function readResource(server, uri, options = undefined) {
    const input = { __proto__: null, server: `${server}`, uri: `${uri}` };
    const about = { __proto__: null, tool: "resources/read", server: input.server };
    return call("mcp.readResource", input, options, false, readResource, about);
  }

  function listResources(server, options = undefined) {
    const input = { __proto__: null, server: `${server}` };
    const about = { __proto__: null, tool: "resources/list", server: input.server };
    return call("mcp.listResources", input, options, false, listResources, about);
  }

  // These ask the host and no server.
  function searchTools(query, options = undefined) {
    const input = { __proto__: null, query: `${query}` };
    if (options != null) {
      for (let i = 0; i < SEARCH_OPTIONS.length; i++) {
        const name = SEARCH_OPTIONS[i];
        input[name] = options[name];
      }
    }
    const about = { __proto__: null, tool: "searchTools", server: "" };
    return call("mcp.searchTools", input, options, false, searchTools, about);
  }

  function describeTool(name, options = undefined) {
    const input = { __proto__: null, name: `${name}` };
    const about = { __proto__: null, tool: "describeTool", server: "" };
    return call("mcp.describeTool", input, options, false, describeTool, about);
  }

  function listServers(options = undefined) {
    const about = { __proto__: null, tool: "listServers", server: "" };
    return call("mcp.listServers", undefined, options, false, listServers, about);
  }

  /** What a block of each type must have, all of it text. */
  const BLOCKS = {
    __proto__: null,
    text: ["text"],
    image: ["data", "mimeType"],
    audio: ["data", "mimeType"],
    resource_link: ["uri", "name"],
    resource: [],
  };

  // Not a call of any tool. What is wrong with the block is thrown here and now, at the script's line;
  // the host looks at it again.
  function show(block) {
    if (typeof block !== "object" || block === null) {
      throw new TypeError("mcp.show takes a content block, such as one of a result's `content`");
    }
    const type = `${block.type}`;
    const fields = BLOCKS[type];
    if (fields === undefined) {
      throw new TypeError(`mcp.show takes no content block of type \`${type}\``);
    }
    for (let i = 0; i < fields.length; i++) {
      if (typeof block[fields[i]] !== "string") {
        throw new TypeError(`a content block of type \`${type}\` has a text \`${fields[i]}\``);
      }
    }
    if (type === "resource" && (typeof block.resource !== "object" || block.resource === null)) {
      throw new TypeError("a content block of type `resource` has an object `resource`");
    }
    const about = { __proto__: null, tool: "show", server: "mcp" };
    return call("mcp.show", block, undefined, false, show, about);
  }

  const mcp = { __proto__: null };
  define(mcp, "callTool", callTool);
  define(mcp, "callToolRaw", callToolRaw);
  define(mcp, "readResource", readResource);
  define(mcp, "listResources", listResources);
  define(mcp, "searchTools", searchTools);
  define(mcp, "describeTool", describeTool);
  define(mcp, "listServers", listServers);
  define(mcp, "show", show);
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
    internals.isOver = false;
    internals.limits.timers = job.timers;
    if (job.fixed !== null) internals.fix(job.fixed);
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
})(globalThis);
