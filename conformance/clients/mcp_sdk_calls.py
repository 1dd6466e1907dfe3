"""Calls every tool of an MCP server with the official Python SDK, over pipes and HTTP, in both of its modes.

Told in the environment: SERVER (JSON: command, args, env), URL, KEY, CALLS (JSON: label, name and arguments
of each call). Prints one JSON object: what was seen, by mode and transport.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

import httpx2
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

CALLS = json.loads(os.environ["CALLS"])


async def seen_by(client: Client) -> dict[str, Any]:
    """The tools, every call's result, and what is said about a tool that is not there."""
    progress: list[float] = []

    async def told(done: float, total: float | None, message: str | None) -> None:
        progress.append(done)

    results = {}
    for label, name, arguments in CALLS:
        result = await client.call_tool(name, arguments, progress_callback=told)
        results[label] = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    try:
        unknown = str(await client.call_tool("no_such_tool", {}))
    except MCPError as error:
        unknown = error.error.message
    listed = (await client.list_tools()).tools
    return {
        "version": client.protocol_version,
        "capabilities": sorted(client.server_capabilities.model_dump(exclude_none=True)),
        "tools": [tool.name for tool in listed],
        "results": results,
        "unknown": unknown,
        "progress": progress,
    }


async def main() -> None:
    """Every mode on every transport."""
    server = StdioServerParameters(**json.loads(os.environ["SERVER"]))
    headers = {"authorization": f"Bearer {os.environ['KEY']}"}
    seen = {}
    for mode in ("auto", "legacy"):
        async with Client(stdio_client(server), mode=mode) as client:
            seen[f"{mode} over pipes"] = await seen_by(client)
        async with (
            httpx2.AsyncClient(headers=headers, trust_env=False, timeout=60) as http,
            Client(streamable_http_client(os.environ["URL"], http_client=http), mode=mode) as client,
        ):
            seen[f"{mode} over HTTP"] = await seen_by(client)
    sys.stdout.write(json.dumps(seen))


asyncio.run(main())
