// For a run that is to be the same each time: Date, Math.random and Temporal.Now by the run's own clock
// and bytes in place of the system's. Other runs keep V8's.
"use strict";

((globalThis) => {
  const { core, primordials, internals } = globalThis.__bootstrap;
  const {
    Date,
    DateParse,
    DatePrototype,
    DateUTC,
    MathTrunc,
    ObjectDefineProperty,
    ReflectConstruct,
    String,
    Uint8Array,
  } = primordials;
  const { op_now, op_random } = core.ops;

  /** Unix time in milliseconds at which the run began; undefined if its clock is the system's. */
  internals.fixed = undefined;

  function replace(object, name, value) {
    ObjectDefineProperty(object, name, {
      __proto__: null,
      value,
      writable: true,
      enumerable: false,
      configurable: true,
    });
  }

  internals.fix = (began) => {
    internals.fixed = began;
    const now = () => began + MathTrunc(op_now());

    function FixedDate(...args) {
      if (new.target === undefined) return String(new FixedDate());
      return ReflectConstruct(Date, args.length === 0 ? [now()] : args, new.target);
    }
    replace(FixedDate, "name", "Date");
    ObjectDefineProperty(FixedDate, "length", { __proto__: null, value: 7 });
    ObjectDefineProperty(FixedDate, "prototype", {
      __proto__: null,
      value: DatePrototype,
      writable: false,
    });
    replace(FixedDate, "now", { now() { return now(); } }.now);
    replace(FixedDate, "parse", DateParse);
    replace(FixedDate, "UTC", DateUTC);
    replace(DatePrototype, "constructor", FixedDate);
    replace(globalThis, "Date", FixedDate);

    const random = {
      random() {
        const bytes = new Uint8Array(7);
        op_random(bytes);
        let value = bytes[6] & 0x1f;
        for (let i = 5; i >= 0; i--) value = value * 256 + bytes[i];
        return value / 9007199254740992;
      },
    }.random;
    replace(globalThis.Math, "random", random);

    // These look at the system's clock by themselves. Intl's formats do so only without an argument.
    if (globalThis.Temporal !== undefined) delete globalThis.Temporal.Now;
  };
})(globalThis);
