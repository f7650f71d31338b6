// URL (URL Standard §6.1). Addresses are parsed and changed by the host's parser.
//
// The host gives an address as its components, one a line: no component can contain a line break.
"use strict";

((globalThis) => {
  const { core, primordials, internals } = globalThis.__bootstrap;
  const { ArrayPrototypePush, StringPrototypeSlice, TypeError } = primordials;
  const { op_url_parse, op_url_set } = core.ops;
  const { cut, expose, need, scalars, tag } = internals;
  const { attach, refill } = internals.searchParams;

  // Positions of the components as the host gives them.
  const HREF = 0;
  const PROTOCOL = 1;
  const USERNAME = 2;
  const PASSWORD = 3;
  const HOST = 4;
  const HOSTNAME = 5;
  const PORT = 6;
  const PATHNAME = 7;
  const SEARCH = 8;
  const HASH = 9;
  const ORIGIN = 10;

  /** Components of an address, or null if it is not one. */
  function parse(url, base) {
    if (base !== undefined) {
      base = scalars(base);
      // To the host, an empty base is none; to the standard, it is one that does not parse.
      if (base === "") return null;
    }
    const answer = op_url_parse(scalars(url), base ?? "");
    return answer === "" ? null : cut(answer, "\n");
  }

  function withoutMark(search) {
    return search === "" ? "" : StringPrototypeSlice(search, 1);
  }

  let partsOf;

  class URL {
    #parts;
    #params = null;

    static {
      partsOf = (value) => #parts in value ? value.#parts : undefined;
    }

    constructor(url, base = undefined) {
      need(1, arguments.length, "URL");
      url = `${url}`;
      const parts = parse(url, base);
      if (parts === null) throw invalid(url);
      this.#parts = parts;
    }

    static canParse(url, base = undefined) {
      need(1, arguments.length, "URL.canParse");
      return parse(url, base) !== null;
    }

    static parse(url, base = undefined) {
      need(1, arguments.length, "URL.parse");
      const parts = parse(url, base);
      return parts === null ? null : new URL(parts[HREF]);
    }

    #set(part, value) {
      const answer = op_url_set(this.#parts[HREF], part, scalars(value));
      if (answer !== "") this.#parts = cut(answer, "\n");
    }

    #refill() {
      if (this.#params !== null) refill(this.#params, withoutMark(this.#parts[SEARCH]));
    }

    get href() {
      return this.#parts[HREF];
    }
    set href(value) {
      value = `${value}`;
      const parts = parse(value, undefined);
      if (parts === null) throw invalid(value);
      this.#parts = parts;
      this.#refill();
    }
    get origin() {
      return this.#parts[ORIGIN];
    }
    get protocol() {
      return this.#parts[PROTOCOL];
    }
    set protocol(value) {
      this.#set("protocol", value);
    }
    get username() {
      return this.#parts[USERNAME];
    }
    set username(value) {
      this.#set("username", value);
    }
    get password() {
      return this.#parts[PASSWORD];
    }
    set password(value) {
      this.#set("password", value);
    }
    get host() {
      return this.#parts[HOST];
    }
    set host(value) {
      this.#set("host", value);
    }
    get hostname() {
      return this.#parts[HOSTNAME];
    }
    set hostname(value) {
      this.#set("hostname", value);
    }
    get port() {
      return this.#parts[PORT];
    }
    set port(value) {
      this.#set("port", value);
    }
    get pathname() {
      return this.#parts[PATHNAME];
    }
    set pathname(value) {
      this.#set("pathname", value);
    }
    get search() {
      return this.#parts[SEARCH];
    }
    set search(value) {
      this.#set("search", value);
      this.#refill();
    }
    get searchParams() {
      this.#params ??= attach(
        withoutMark(this.#parts[SEARCH]),
        (query) => this.#set("search", query),
      );
      return this.#params;
    }
    get hash() {
      return this.#parts[HASH];
    }
    set hash(value) {
      this.#set("hash", value);
    }

    toString() {
      return this.#parts[HREF];
    }
    toJSON() {
      return this.#parts[HREF];
    }
  }
  tag(URL.prototype, "URL");
  expose("URL", URL);

  function invalid(url) {
    const shown = url.length > 200 ? `${StringPrototypeSlice(url, 0, 200)}...` : url;
    return new TypeError(`Invalid URL: "${shown}"`);
  }

  ArrayPrototypePush(internals.views, (value) => {
    const parts = partsOf(value);
    if (parts === undefined) return undefined;
    return { __proto__: null, fields: { __proto__: null, href: parts[HREF] } };
  });
})(globalThis);
