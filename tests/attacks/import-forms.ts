// Every form that is left at run time, with odd specifiers.
const specifiers: any[] = [undefined, null, 1, {}, Symbol.iterator, "\0", "x".repeat(1e6), "ext:core/ops", "data:text/javascript,globalThis.x=1", "file:///etc/passwd", "node:fs", "npm:a",
  { toString() { throw new RangeError("mine"); } }, "https://example.com/", "blob:x", "checkin:x", "jsr:@std/path", " ", "ext:cofferdam/30_tools.js", "internal:deno/x"];
for (const specifier of specifiers) {
  try { await import(specifier); console.log("imported"); } catch (error) { console.log(error.name, error.message.slice(0, 70)); }
}
for (const options of [{ with: { type: "json" } }, { with: { type: "text" } }, { with: { type: "bytes" } }, { with: null }, 1, { get with() { throw new RangeError("mine"); } }] as any[]) {
  try { await import("file:///etc/passwd", options); console.log("imported"); } catch (error) { console.log(error.name, error.message.slice(0, 70)); }
}
