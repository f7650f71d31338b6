// Components, setters, relative addresses, and addresses that are none.
const url = new URL("../b?q=1#top", "https://user:pw@example.com:8080/a/x/y");
console.log(url.href);
console.log([url.origin, url.protocol, url.username, url.password, url.host, url.hostname, url.port]);
console.log([url.pathname, url.search, url.hash]);
url.port = "443";
url.pathname = "/ä b";
url.hash = "";
url.username = "";
url.password = "";
console.log(String(url), JSON.stringify({ url }));
url.host = "[::1]:99";
url.protocol = "http";
console.log(url.href);
try {
  new URL("nowhere");
} catch (error) {
  console.log(error.name, error.message);
}
console.log(URL.canParse("nowhere"), URL.canParse("x", "https://a.b/"), URL.parse("nowhere"));
console.log(new URL("HTTP://EXAMPLE.com:80/%7Efoo/./a/../b").href, new URL("mailto:a@b").origin);
return Object.prototype.toString.call(url);
