// Reading and writing the form encoding, and the methods that change a list.
const texts = ["a=b&c=d", "&a&&=&b==c&", "a=b+c%20d%2B", "%61=%zz&%", "a=\u20ac&\u20ac=%E2%82%AC", "=a&=", "a=b?c#d", "??a=1", "a=%FF%FE", "a=\ud800", "%EF%BB%BFtest=%EF%BB%BF", "a=b\0c&d=%00", "id=0&value=%"];
for (const text of texts) console.log(JSON.stringify(text), JSON.stringify([...new URLSearchParams(text)]), new URLSearchParams(text).toString());
const all = new URLSearchParams();
let every = ""; for (let i = 1; i < 128; i++) every += String.fromCharCode(i);
all.append("k", every); all.append("", ""); all.append("a b", "~*-._");
console.log(all.toString());
const params = new URLSearchParams("a=1&b=2&a=3&c=4&a=1");
console.log(params.has("a"), params.has("a", "3"), params.has("a", "9"), params.has("a", undefined), params.get("z"), params.getAll("a"), params.size);
params.delete("a", "1"); console.log(String(params)); params.set("c", "x"); params.set("new", ""); params.set("a", "only"); console.log(String(params)); params.delete("a"); params.delete("nothing"); console.log(String(params));
const sorted = new URLSearchParams("z=1&a=2&z=0&\ud83c\udf08=x&\ufb03=y&a=1"); sorted.sort(); console.log(String(sorted));
for (const init of [undefined, null, 5, true, { a: 1, b: [1, 2] }, [["a", "b"], ["c", 3]], new Map([["m", 1]]), new URLSearchParams("x=y"), [], {}, "?", new Set([["s", 1]]), function () {}, Object.assign(() => {}, { f: "g" }), { ["a\ud800"]: "\udc00" }]) console.log(new URLSearchParams(init).toString());
for (const bad of [[["a"]], [["a", "b", "c"]], [1], [[]], Symbol("s"), { [Symbol.iterator]: 1 }, new URL("http://a/?b"), "ok"]) { try { console.log("made", new URLSearchParams(bad).toString()); } catch (error) { console.log(error.name); } }
// Changed while it is walked.
const walked = new URLSearchParams("a=1&b=2&c=3"), seen = [];
for (const [key] of walked) { seen.push(key); if (key === "a") walked.delete("b"); if (seen.length < 5) walked.append("n" + seen.length, ""); }
console.log(seen.join(), [...walked.values()].length, [...walked.keys()].join());
const url = new URL("http://a/?x=1#h"), live = url.searchParams;
live.append("y", "2"); console.log(url.href); url.search = "z=3"; console.log(String(live)); url.href = "http://b/?q=%20+"; console.log(String(live), live.get("q") === "  "); live.delete("q"); console.log(url.href, url.search === ""); url.search = "?"; console.log(url.href);
console.log(live.forEach.length, URLSearchParams.length, Object.prototype.toString.call(live.entries()), live.entries === live[Symbol.iterator], typeof live.entries().next);
for (const call of [() => live.append("a"), () => live.get(), () => live.forEach(1), () => URLSearchParams(), () => URLSearchParams.prototype.get.call({}, "a")]) { try { call(); console.log("fine"); } catch (error) { console.log(error.name); } }
