const { proxy, revoke } = Proxy.revocable(new Error("gone"), {});
revoke();
const error: any = new Error("with odd parts", { cause: proxy });
error.errors = proxy;
throw error;
