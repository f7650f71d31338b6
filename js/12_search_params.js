// URLSearchParams (URL Standard §6.2).
//
// The parameters of a URL are live both ways: each object tells the other of a change through
// `internals`, not through properties that a script could replace.
"use strict";

((globalThis) => {
  const { primordials, internals } = globalThis.__bootstrap;
  const {
    ArrayPrototypePush,
    ArrayPrototypeSort,
    ObjectSetPrototypeOf,
    ReflectApply,
    ReflectGetOwnPropertyDescriptor,
    ReflectGetPrototypeOf,
    ReflectOwnKeys,
    StringPrototypeCharCodeAt,
    StringPrototypeSlice,
    SymbolIterator,
    TypeError,
  } = primordials;
  const { define, expose, form, list, need, scalars, tag, toArray } = internals;
  const { pair, parseQuery, printQuery } = form;

  /** Removes the pairs that `isUnwanted` picks, in place. */
  function prune(pairs, isUnwanted) {
    let size = 0;
    for (let i = 0; i < pairs.length; i++) {
      if (!isUnwanted(pairs[i])) pairs[size++] = pairs[i];
    }
    pairs.length = size;
  }

  // For URL: parameters that belong to an address, and filling them again.
  let attach, refill, pairsOf;

  class URLSearchParams {
    #pairs = list();
    /** Tells the address that owns these parameters. */
    #changed = null;

    static {
      attach = (query, changed) => {
        const params = new URLSearchParams();
        params.#pairs = parseQuery(query);
        params.#changed = changed;
        return params;
      };
      refill = (params, query) => {
        params.#pairs = parseQuery(query);
      };
      pairsOf = (value) => #pairs in value ? value.#pairs : undefined;
    }

    constructor(init = "") {
      if ((typeof init !== "object" && typeof init !== "function") || init === null) {
        init = scalars(init);
        if (StringPrototypeCharCodeAt(init, 0) === 0x3f) init = StringPrototypeSlice(init, 1);
        this.#pairs = parseQuery(init);
        return;
      }
      const method = init[SymbolIterator];
      if (method !== undefined && method !== null) {
        if (typeof method !== "function") throw new TypeError("the parameters are not iterable");
        // By protocol: what these loops walk is the script's own, and the standard says so.
        for (const entry of init) {
          if ((typeof entry !== "object" && typeof entry !== "function") || entry === null) {
            throw new TypeError("each parameter must be a pair of name and value");
          }
          const both = list();
          for (const part of entry) ArrayPrototypePush(both, scalars(part));
          if (both.length !== 2) {
            throw new TypeError("each parameter must be a pair of name and value");
          }
          ArrayPrototypePush(this.#pairs, pair(both[0], both[1]));
        }
        return;
      }
      const keys = ReflectOwnKeys(init);
      for (let i = 0; i < keys.length; i++) {
        const property = ReflectGetOwnPropertyDescriptor(init, keys[i]);
        if (property === undefined || !property.enumerable) continue;
        const name = scalars(keys[i]);
        const value = scalars(init[keys[i]]);
        prune(this.#pairs, (other) => other.name === name);
        ArrayPrototypePush(this.#pairs, pair(name, value));
      }
    }

    #update() {
      if (this.#changed !== null) this.#changed(printQuery(this.#pairs));
    }

    get size() {
      return this.#pairs.length;
    }

    append(name, value) {
      this.#pairs;
      need(2, arguments.length, "URLSearchParams.append");
      ArrayPrototypePush(this.#pairs, pair(scalars(name), scalars(value)));
      this.#update();
    }

    delete(name, value = undefined) {
      this.#pairs;
      need(1, arguments.length, "URLSearchParams.delete");
      name = scalars(name);
      if (value !== undefined) value = scalars(value);
      prune(
        this.#pairs,
        (pair) => pair.name === name && (value === undefined || pair.value === value),
      );
      this.#update();
    }

    get(name) {
      this.#pairs;
      need(1, arguments.length, "URLSearchParams.get");
      name = scalars(name);
      for (let i = 0; i < this.#pairs.length; i++) {
        if (this.#pairs[i].name === name) return this.#pairs[i].value;
      }
      return null;
    }

    getAll(name) {
      this.#pairs;
      need(1, arguments.length, "URLSearchParams.getAll");
      name = scalars(name);
      const values = list();
      for (let i = 0; i < this.#pairs.length; i++) {
        if (this.#pairs[i].name === name) ArrayPrototypePush(values, this.#pairs[i].value);
      }
      return toArray(values);
    }

    has(name, value = undefined) {
      this.#pairs;
      need(1, arguments.length, "URLSearchParams.has");
      name = scalars(name);
      if (value !== undefined) value = scalars(value);
      for (let i = 0; i < this.#pairs.length; i++) {
        const pair = this.#pairs[i];
        if (pair.name === name && (value === undefined || pair.value === value)) return true;
      }
      return false;
    }

    set(name, value) {
      this.#pairs;
      need(2, arguments.length, "URLSearchParams.set");
      name = scalars(name);
      value = scalars(value);
      let first = null;
      prune(this.#pairs, (pair) => {
        if (pair.name !== name) return false;
        if (first !== null) return true;
        first = pair;
        return false;
      });
      if (first === null) ArrayPrototypePush(this.#pairs, pair(name, value));
      else first.value = value;
      this.#update();
    }

    sort() {
      ArrayPrototypeSort(this.#pairs, (a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
      this.#update();
    }

    forEach(callback, thisArg = undefined) {
      this.#pairs;
      if (typeof callback !== "function") {
        throw new TypeError("URLSearchParams.forEach takes a function");
      }
      for (let i = 0; i < this.#pairs.length; i++) {
        const { name, value } = this.#pairs[i];
        ReflectApply(callback, thisArg, [value, name, this]);
      }
    }

    keys() {
      this.#pairs;
      return new PairIterator(() => this.#pairs, (pair) => pair.name);
    }

    values() {
      this.#pairs;
      return new PairIterator(() => this.#pairs, (pair) => pair.value);
    }

    entries() {
      this.#pairs;
      return new PairIterator(() => this.#pairs, (pair) => [pair.name, pair.value]);
    }

    toString() {
      return printQuery(this.#pairs);
    }
  }
  define(URLSearchParams.prototype, SymbolIterator, URLSearchParams.prototype.entries);
  tag(URLSearchParams.prototype, "URLSearchParams");
  expose("URLSearchParams", URLSearchParams);

  /** Walks parameters while they may change. */
  class PairIterator {
    #pairs;
    #pick;
    #at = 0;

    constructor(pairs, pick) {
      this.#pairs = pairs;
      this.#pick = pick;
    }

    next() {
      const pairs = this.#pairs();
      if (this.#at >= pairs.length) return { value: undefined, done: true };
      return { value: this.#pick(pairs[this.#at++]), done: false };
    }
  }
  delete PairIterator.prototype.constructor;
  ObjectSetPrototypeOf(
    PairIterator.prototype,
    ReflectGetPrototypeOf(ReflectGetPrototypeOf([][SymbolIterator]())),
  );
  tag(PairIterator.prototype, "URLSearchParams Iterator");

  internals.searchParams = { __proto__: null, attach, refill };
  ArrayPrototypePush(internals.views, (value) => {
    const pairs = pairsOf(value);
    return pairs === undefined ? undefined : { __proto__: null, pairs };
  });
})(globalThis);
