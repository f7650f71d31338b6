// What is wrong with a block is thrown where it is shown.
for (const block of [null, "x", {}, { type: "text" }, { type: "image", data: "aGk=" }, { type: "resource", resource: 1 }, { type: "tool_use" }]) {
  try {
    mcp.show(block as any);
    console.log("shown");
  } catch (error: any) {
    console.log(`${error.name}: ${error.message}`);
  }
}
// What only the host finds rejects.
const odd = mcp.show({ type: "image", data: "<svg>", mimeType: "image/svg+xml" });
console.log(await odd.catch((error) => `${error.kind}: ${error.message}`));
let shown = 0;
try {
  for (;; shown++) await mcp.show({ type: "text", text: "x" });
} catch (error: any) {
  console.log(shown, error.kind, error.message);
}
