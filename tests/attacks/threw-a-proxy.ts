throw new Proxy(new TypeError("inside"), { get() { console.log("get"); for (;;); }, getPrototypeOf() { for (;;); }, ownKeys() { for (;;); } });
