// A returned proxy, with getters, is read by JSON.stringify and by nothing else.
const log: string[] = [];
return new Proxy({ a: 1, get b() { return log; } }, {
  get(target, key, self) { log.push(`get ${String(key)}`); return Reflect.get(target, key, self); },
  ownKeys(target) { log.push("ownKeys"); return Reflect.ownKeys(target); },
  getPrototypeOf() { log.push("getPrototypeOf"); return null; },
});
