// Drives `cofferdam serve` with the official TypeScript SDK, by a plan on standard input:
//
//   sdk     "v2" (@modelcontextprotocol/client) or "v1" (@modelcontextprotocol/sdk, the older era)
//   mode    of v2: "auto", "legacy", or { "pin": REVISION }
//   server  { "command", "args", "env", "cwd" } or { "url", "token" }
//   elicit  the answers to questions, in order; the last one again for all further ones; absent: no capability
//   elicitDelay  how long an answer takes, in milliseconds
//   steps   [{ "tool", "arguments", "progress", "cancelAfter", "again", "parallel" }]; an argument "$run_id" is the last one seen
//
// Prints one JSON object: what it learned when it connected, the questions, and what each step came to.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.env.COFFERDAM_TEST_SERVERS, "package.json"));
const load = async (name) => import(pathToFileURL(require.resolve(name).replace(/\.cjs$/, ".mjs")));

let text = "";
for await (const chunk of process.stdin) text += chunk;
const plan = JSON.parse(text);
const isOld = plan.sdk === "v1";

const base = isOld ? "@modelcontextprotocol/sdk/client" : "@modelcontextprotocol/client";
const { Client, StreamableHTTPClientTransport } = isOld
  ? { ...(await loadOld("client/index.js")), ...(await loadOld("client/streamableHttp.js")) }
  : await load(base);
const { StdioClientTransport } = isOld ? await loadOld("client/stdio.js") : await load(`${base}/stdio`);

async function loadOld(path) {
  return import(pathToFileURL(join(process.env.COFFERDAM_TEST_SERVERS, "node_modules/@modelcontextprotocol/sdk/dist/esm", path)));
}

const capabilities = plan.elicit ? { elicitation: { form: {} } } : {};
const options = { capabilities };
if (!isOld && plan.mode) options.versionNegotiation = { mode: plan.mode };
const client = new Client({ name: "test", version: "1" }, options);

const questions = [];
if (plan.elicit) {
  const answer = async (request) => {
    questions.push(request.params);
    if (plan.elicitDelay) await new Promise((resolve) => setTimeout(resolve, plan.elicitDelay));
    return plan.elicit[Math.min(questions.length, plan.elicit.length) - 1];
  };
  if (isOld) {
    const { ElicitRequestSchema } = await loadOld("types.js");
    client.setRequestHandler(ElicitRequestSchema, answer);
  } else client.setRequestHandler("elicitation/create", answer);
}

const { server } = plan;
const headers = server.token ? { Authorization: `Bearer ${server.token}` } : {};
const transport = server.url
  ? new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } })
  : new StdioClientTransport({ ...server, env: { ...process.env, ...server.env }, stderr: "inherit" });

const result = { questions, steps: [] };
try {
  await client.connect(transport);
  result.instructions = client.getInstructions();
  result.server = client.getServerVersion();
  result.capabilities = client.getServerCapabilities();
  result.tools = (await client.listTools()).tools;
  let runId;
  for (const step of plan.steps) {
    const once = async () => {
      const args = { ...step.arguments };
      for (const key of Object.keys(args)) if (args[key] === "$run_id") args[key] = runId;
      const progress = [];
      const request = { timeout: 120000 };
      if (step.progress) request.onprogress = (note) => progress.push(note);
      if (step.cancelAfter !== undefined) {
        const abort = new AbortController();
        setTimeout(() => abort.abort("enough"), step.cancelAfter);
        request.signal = abort.signal;
      }
      const params = { name: step.tool, arguments: args };
      try {
        const answer = await (isOld ? client.callTool(params, undefined, request) : client.callTool(params, request));
        runId = answer.structuredContent?.run_id ?? runId;
        return { answer, progress };
      } catch (error) {
        return { error: String(error), progress };
      }
    };
    if (step.sleep) await new Promise((resolve) => setTimeout(resolve, step.sleep));
    else if (step.parallel) {
      result.steps.push(await Promise.all(Array.from({ length: step.parallel }, once)));
    } else result.steps.push(await once());
  }
  if (!plan.vanish) await client.close();
} catch (error) {
  result.error = String(error?.stack ?? error);
}
process.stdout.write(JSON.stringify(result), () => process.exit(0));
