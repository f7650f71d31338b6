// A script can break its own run, but what the broker gets and what the script is told stay right.
const seen: unknown[] = [];
Object.defineProperty(Object.prototype, "kind", { set(value) { seen.push(value); }, get() { return "forged"; }, configurable: true });
Array.prototype[Symbol.iterator] = function* () { seen.push("iterated"); };
JSON.stringify = () => '{"forged":true}';
JSON.parse = () => ({ forged: true });
Promise.prototype.then = function () { seen.push("then"); return this; };
Error.prepareStackTrace = (_, sites) => { for (let i = 0; i < sites.length; i++) if (sites[i].getFunction() || sites[i].getThis()) seen.push("function"); return "stack"; };
const answer = await demo_echo({ honest: 1 });
let kind;
try { await demo_fail(); } catch (error) { error.stack; kind = error.kind; }
delete Object.prototype.kind;
console.log(answer.honest, kind, seen.length);
