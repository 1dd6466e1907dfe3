"""The server on the official SDK, met by the official client in the same process."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from groundwire.mcp.async_calls import AsyncCalls
from groundwire.mcp.declarations import Offer, offered
from groundwire.mcp.http import behind_key, tool_server
from groundwire.mcp.shapes import Outcome
from groundwire.secret import Secret


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_every_tool_is_listed_as_on_pipes(tmp_path: Path, mode: str) -> None:
    offer = Offer(root=str(tmp_path))
    async with Client(tool_server(offer), mode=mode) as client:
        tools = (await client.list_tools()).tools
        assert client.server_capabilities.model_dump(exclude_none=True).keys() == {"tools"}
    told = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
    assert told == offered(offer).declared


async def test_a_failure_is_an_error_with_its_json(tmp_path: Path) -> None:
    async with Client(tool_server(Offer("files", root=str(tmp_path)))) as client:
        result = await client.call_tool("read_file", {"file_path": "nothing"})
    assert result.is_error
    assert json.loads(result.content[0].text)["error"]["type"] == "file_not_found"  # type: ignore[union-attr]


async def test_an_unknown_tool_is_told_which_tools_there_are(tmp_path: Path) -> None:
    async with Client(tool_server(Offer("files", root=str(tmp_path), read_only=True))) as client:
        with pytest.raises(MCPError, match=r"Unknown tool: write_file\. The tools are: read_file"):
            await client.call_tool("write_file", {})


async def test_progress_is_told_while_a_call_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[float] = []
    enough = asyncio.Event()

    async def long(self: AsyncCalls, name: str, arguments: object) -> Outcome:
        await enough.wait()
        found = {"llmContent": "done", "returnDisplay": "done"}
        return Outcome([{"type": "text", "text": "done"}], found)

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append(progress)
        if len(heard) == 3:
            enough.set()

    monkeypatch.setattr(AsyncCalls, "call", long)
    server = tool_server(Offer("search"), sleep=lambda _: asyncio.sleep(0))
    async with Client(server) as client:
        await client.call_tool("websearch", {"query": "x"}, progress_callback=hear)
    assert heard[:3] == [1, 2, 3]


@pytest.mark.parametrize(
    ("header", "status"),
    [
        (None, 401),
        (b"Bearer wrong-key", 401),
        (b"Basic right-key", 401),
        (b"right-key", 401),
        (b"Bearer", 401),
        (b"Bearer right-key", 200),
        (b"bearer  right-key ", 200),
    ],
)
async def test_only_the_key_opens_the_door(header: bytes | None, status: int) -> None:
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200})

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [] if header is None else [(b"authorization", header)]
    await behind_key(app, Secret("right-key"))({"type": "http", "headers": headers}, None, send)
    assert sent[0]["status"] == status
