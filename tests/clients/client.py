"""Drives `cofferdam serve` with the official Python SDK, by a plan on standard input.

The plan is that of client.mjs: `mode` ("auto", "legacy" or a revision), `server`, `elicit`, `steps`.
Prints one JSON object: the questions, and what each step came to.
"""

import asyncio
import json
import os
import sys

import mcp_types as types
from mcp import Client, StdioServerParameters

plan = json.load(sys.stdin)
questions = []


async def answer(_context, params):
    questions.append(params.model_dump(by_alias=True, mode="json", exclude_none=True))
    given = plan["elicit"][min(len(questions), len(plan["elicit"])) - 1]
    return types.ElicitResult(**given)


async def main():
    server = plan["server"]
    target = server.get("url") or StdioServerParameters(
        command=server["command"],
        args=server["args"],
        env={**os.environ, **server.get("env", {})},
        cwd=server.get("cwd"),
    )
    options = {"mode": plan.get("mode", "auto")}
    if plan.get("elicit"):
        options["elicitation_callback"] = answer
    steps = []
    async with Client(target, **options) as client:
        tools = (await client.list_tools()).tools
        run_id = None
        for step in plan["steps"]:
            arguments = {k: run_id if v == "$run_id" else v for k, v in step["arguments"].items()}
            progress = []

            async def on_progress(done, total, message):
                progress.append({"progress": done, "message": message})

            result = await client.call_tool(step["tool"], arguments, progress_callback=on_progress)
            result = result.model_dump(by_alias=True, mode="json", exclude_none=True)
            run_id = (result.get("structuredContent") or {}).get("run_id", run_id)
            steps.append({"answer": result, "progress": progress})
        found = {
            "version": client.protocol_version,
            "instructions": client.instructions,
            "tools": [tool.name for tool in tools],
            "questions": questions,
            "steps": steps,
        }
        print(json.dumps(found))


asyncio.run(main())
