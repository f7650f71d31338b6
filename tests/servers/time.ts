const now = await time_get_current_time({ timezone: "UTC" });
// Both clocks are those of one machine.
console.log(now.timezone, now.is_dst, Math.abs(Date.now() - Date.parse(now.datetime)) < 60_000);

const there = await time_convert_time({ source_timezone: "Asia/Tokyo", time: "12:00", target_timezone: "Asia/Kolkata" });
console.log(there.target.datetime.slice(11), there.time_difference);

try {
  await time_get_current_time({ timezone: "Nowhere/At_All" });
} catch (error) {
  if (!(error instanceof ToolError)) throw error;
  console.log(error.kind, error.message);
}
