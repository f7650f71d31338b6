// Every form of import that is left at run time.
for (const name of ["ext:core/ops", "ext:core/mod.js", "ext:cofferdam/30_tools.js", "file:///etc/passwd", "data:text/javascript,1",
  "node:fs", "npm:left-pad", "https://example.com/x.js", "./script.ts", "file:///script.ts", "checkin:core", ""]) {
  try { await import(name); console.log("imported", name); } catch (error) { console.log(error.name); }
}
try { await import("./data.json", { with: { type: "json" } }); console.log("imported"); } catch (error) { console.log(error.name); }
