// Many clients of `cofferdam serve` at once, with the official TypeScript SDK: load.mjs URL CLIENTS RUNS
// Every other client speaks the older protocol. Prints what came of the runs, and how long they took.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.env.COFFERDAM_TEST_SERVERS, "package.json"));
const path = require.resolve("@modelcontextprotocol/client").replace(/\.cjs$/, ".mjs");
const { Client, StreamableHTTPClientTransport } = await import(pathToFileURL(path));

const [url, clients, runs] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const outcomes = {};
const times = [];

async function one(number) {
  const mode = number % 2 === 0 ? { pin: "2026-07-28" } : "legacy";
  const client = new Client({ name: `c${number}`, version: "1" }, { versionNegotiation: { mode } });
  let outcome;
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL(url)), { timeout: 600000 });
    for (let n = 0; n < runs; n++) {
      const began = performance.now();
      const script = `await everything_echo({ message: "x" }); return ${number * 1000 + n}`;
      const answer = await client.callTool({ name: "run_code", arguments: { script } }, { timeout: 600000 });
      times.push(performance.now() - began);
      const { status, value } = answer.structuredContent ?? {};
      outcome = status ?? answer.content[0].text;
      if (status === "completed" && value !== number * 1000 + n) outcome = "the value of another run";
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
    await client.close();
  } catch (error) {
    outcome = String(error);
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
}

const began = performance.now();
await Promise.all(Array.from({ length: clients }, (_, number) => one(number)));
times.sort((a, b) => a - b);
const at = (part) => Math.round(times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0);
const seconds = (performance.now() - began) / 1000;
console.log(JSON.stringify({ outcomes, seconds, p50: at(0.5), p99: at(0.99), most: at(1) }));
process.exit(0);
