for (const pattern of ["(".repeat(1e6) + ")".repeat(1e6), "(?:".repeat(1e5) + "a" + ")*".repeat(1e5), "[".repeat(1e6), "a{1,".repeat(1e4), "(?<=".repeat(1e5) + ")".repeat(1e5)]) {
  try { new RegExp(pattern, "v").test("a"); console.log("compiled"); } catch (error) { console.log(error.name); }
}
