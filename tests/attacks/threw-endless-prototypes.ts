// A proxy that is its own prototype.
const loop: object = new Proxy({}, { getPrototypeOf() { return loop; } });
const error = new Error("loop");
Object.setPrototypeOf(error, loop);
throw error;
