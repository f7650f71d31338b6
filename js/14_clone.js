// structuredClone (HTML §2.7) over the engine's serializer. Nothing can be transferred.
//
// Not core.structuredClone: that passes a table of deserializers, and an object that a script marks
// as a host object of an unknown type would make the look-up in it abort the process.
"use strict";

((globalThis) => {
  const { core, primordials, internals } = globalThis.__bootstrap;
  const { StringPrototypeEndsWith, TypeError } = primordials;
  const { op_structured_clone } = core.ops;
  const { DOMException, expose, need, ownValue } = internals;

  /** Whether the serializer refused, as opposed to a getter of the value that threw. */
  function isCloneFailure(error) {
    if (!core.isNativeError(error)) return false;
    const message = ownValue(error, "message");
    if (typeof message !== "string") return false;
    return StringPrototypeEndsWith(message, "could not be cloned.") ||
      message === "Unsupported object type" ||
      message === "Failed to serialize response" ||
      message === "could not deserialize value";
  }

  const globals = {
    structuredClone(value, options = undefined) {
      need(1, arguments.length, "structuredClone");
      const transfer = options == null ? undefined : options.transfer;
      if (transfer !== undefined) {
        for (const _ of transfer) {
          throw new TypeError("structuredClone cannot transfer here: leave `transfer` out to copy");
        }
      }
      try {
        return op_structured_clone(value, undefined);
      } catch (error) {
        throw isCloneFailure(error) ? new DOMException(error.message, "DataCloneError") : error;
      }
    },
  };
  expose("structuredClone", globals.structuredClone);
})(globalThis);
