async function load() {
  try {
    return await demo_fail({ n: 1 });
  } catch (cause) {
    throw new Error("loading failed", { cause });
  }
}
try {
  await load();
} catch (cause) {
  throw new RangeError("no report", { cause });
}
