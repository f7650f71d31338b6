// Parameters are live both ways, keep their order, and have the form encoding.
const url = new URL("https://example.com/?b=2&a=1&b=3");
const params = url.searchParams;
console.log([...params], params.size, params.getAll("b"), params.get("none"), params.has("b", "3"));
params.append("c", "x y&z=é");
console.log(url.search);
params.set("b", "one");
params.delete("a");
console.log(url.href);
url.search = "?z=1&y=%F0%9F%98%80+%zz";
console.log(params.get("y"), [...params.keys()], params === url.searchParams);
params.sort();
console.log(params.toString());
params.delete("z");
params.delete("y");
console.log(url.href);
console.log(new URLSearchParams({ q: "a+b", n: 1 } as never).toString());
console.log(new URLSearchParams([["k", "1"], ["k", "2"]]).toString(), new URLSearchParams("?x").toString());
console.log(new URLSearchParams(new Map([["m", "v"]]) as never).toString());
params.append("u", "v");
params.forEach((value, key, all) => console.log(key, value, all === params));
try {
  new URLSearchParams([["only"]] as never);
} catch (error) {
  console.log(error.name);
}
return Object.prototype.toString.call(params.entries());
