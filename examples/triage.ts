// Files one ticket per kind of error of the last hour. `make demo` runs it as it stands.
const logs = await logging_getLogs({ level: "error", since: Date.now() - 3600000 });
const seen = new Map<string, LogEntry>();
for (const log of logs.entries) if (!seen.has(log.message)) seen.set(log.message, log);
for (const [message, log] of seen)
  await ticketing_createIssue({ title: `Error: ${message}`, body: `First seen: ${log.timestamp}`, priority: "high" });
console.log(`Filed ${seen.size} tickets from ${logs.entries.length} error logs`);
