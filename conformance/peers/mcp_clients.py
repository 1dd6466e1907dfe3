"""Official MCP clients against `groundwire mcp`: SDKs of every generation of the protocol, and the inspector.

Each lists the tools and calls every one of them, over pipes and over HTTP. Searches are answered by the
emulator, one of them so late that a client must be told that it still runs.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import secrets
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from conformance.environments import scrubbed
from conformance.trial import ClientBroke, Trial
from groundwire.emulator import Emulator
from groundwire.mcp.declarations import Offer, offered

QUERY = {"query": "weather in Beijing"}
DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
CALLS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("a late search", "geminisearch", {"query": "weather in Beijing [[scenario:latency]]"}),
    ("websearch_gemini", "websearch_gemini", QUERY),
    ("websearch_openai_oauth", "websearch_openai_oauth", QUERY),
    ("websearch_openrouter", "websearch_openrouter", QUERY),
    ("websearch", "websearch", {**QUERY, "provider": "openrouter"}),
    ("write_file", "write_file", {"file_path": "new.txt", "content": "one line\n"}),
    (
        "replace",
        "replace",
        {"file_path": "new.txt", "instruction": "x", "old_string": "one", "new_string": "a"},
    ),
    ("read_file", "read_file", {"file_path": "note.txt"}),
    ("an image", "read_file", {"file_path": "dot.png"}),
    ("list_directory", "list_directory", {"dir_path": "."}),
    ("glob", "glob", {"pattern": "*.txt"}),
    ("grep_search", "grep_search", {"pattern": "needle"}),
    ("read_many_files", "read_many_files", {"include": ["note.txt"]}),
    ("a bad query", "websearch", {"query": " "}),
    ("no such file", "read_file", {"file_path": "nothing.txt"}),
)
"""What is called: a label, the tool, its arguments."""

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")

LATE_SECONDS = 2.5
"""How late a late search is answered: later than the first sign of life must come."""

FAIL = {"a bad query": "INVALID_QUERY", "no such file": "file_not_found"}
"""Calls that must be errors, and the type each must tell."""

TEXT = {
    "replace": "new.txt",
    "read_file": "needle",
    "list_directory": "note.txt",
    "glob": "note.txt",
    "grep_search": "needle",
    "read_many_files": "needle",
}
"""Calls whose text must hold this."""

VERSIONS = {"auto": "2026-07-28", "legacy": "2025-11-25"}
"""What the Python SDK speaks in its modes."""


async def run_python(trial: Trial) -> None:
    """The Python SDK, with the handshake and without."""
    async with served(trial) as server:
        seen = await trial.sighting("mcp_sdk_calls.py", server.variables())
        for label, told in seen.items():
            check_session(trial, label, told, VERSIONS[label.split()[0]])
        progress = {label: told["progress"] for label, told in seen.items()}
        trial.check(
            "While a search is late the client hears that it still runs.", all(progress.values()), progress
        )


async def run_typescript(trial: Trial) -> None:
    """The TypeScript SDK of each version of the protocol that begins with a handshake."""
    async with served(trial) as server:
        seen = await trial.sighting("mcp_sdk_calls.mjs", server.variables())
        for label, told in seen.items():
            check_session(trial, label, told, label.split()[0].removeprefix("sdk-"))
        fields = {label: set(told["fields"]) for label, told in seen.items() if "pipes" in label}
        trial.check(
            "Hints reach the versions that know them, and schemas of results those that know these.",
            "annotations" not in fields["sdk-2024-11-05 over pipes"]
            and "annotations" in fields["sdk-2025-03-26 over pipes"]
            and "outputSchema" not in fields["sdk-2025-03-26 over pipes"]
            and "outputSchema" in fields["sdk-2025-06-18 over pipes"],
            fields,
        )


async def run_inspector(trial: Trial) -> None:
    """The inspector's command line: the list, judged strictly, and every call, over pipes and HTTP."""
    async with served(trial) as server:
        header = f"Authorization: Bearer {server.key}"
        ways = {
            "pipes": server.command,
            "HTTP": [server.url, "--transport", "http", "--header", header],
        }
        for way, target in ways.items():
            told = await inspected(trial, target, server, "--method", "tools/list", "--strict")
            names = [tool["name"] for tool in told["tools"]]
            trial.check(f"The inspector lists every tool over {way}.", names == expected_tools(), names)
            results = {}
            for label, name, arguments in CALLS:
                pairs = [f"{key}={_as_argument(value)}" for key, value in arguments.items()]
                given = ["--method", "tools/call", "--tool-name", name, "--tool-arg", *pairs]
                results[label] = await inspected(trial, target, server, *given)
            check_results(trial, f"the inspector over {way}", results)


async def inspected(trial: Trial, target: list[str], server: Served, *words: str) -> dict[str, Any]:
    """What the inspector printed."""
    program = str(trial.place / "node_modules" / ".bin" / "mcp-inspector")
    # It hands a server only what it is told to, and with a proxy set it does not start on node 20.
    handed = [word for name, value in server.settings.items() for word in ("-e", f"{name}={value}")]
    no_proxies = dict.fromkeys(PROXIES, "")
    done = await trial.command([program, "--cli", *handed, *target, *words], no_proxies)
    try:
        told = json.loads(done.out)
    except ValueError:
        raise ClientBroke(f"the inspector ended with {done.brief}") from None
    assert isinstance(told, dict)
    return told


def _as_argument(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def expected_tools() -> list[str]:
    """The names of all tools, in the order they are listed."""
    return [tool["name"] for tool in offered(Offer()).declared]


def check_session(trial: Trial, label: str, told: dict[str, Any], version: str) -> None:
    """One client's session: the version, the tools, and every call."""
    trial.check(f"{label}: the version is {version}.", told["version"] == version, told["version"])
    trial.check(f"{label}: only tools are offered.", told["capabilities"] == ["tools"], told["capabilities"])
    trial.check(f"{label}: every tool is listed.", told["tools"] == expected_tools(), told["tools"])
    trial.check(f"{label}: an unknown tool is refused.", "Unknown tool" in told["unknown"], told["unknown"])
    check_results(trial, label, told["results"])
    structured = "structuredContent" in told["results"]["websearch"]
    trial.check(
        f"{label}: a search is structured where the version knows it.",
        structured == (version >= "2025-06-18"),
        told["results"]["websearch"],
    )


def check_results(trial: Trial, label: str, results: dict[str, Any]) -> None:
    """Every tool was called, and each call gave what it must."""
    called = {name for _, name, _ in CALLS}
    trial.check(f"{label}: every tool was called.", called == set(expected_tools()), called)
    wrong = {call: result for call, result in results.items() if not _is_right(call, result)}
    trial.check(f"{label}: each call gives what it must.", not wrong, wrong)


def _is_right(call: str, result: dict[str, Any]) -> bool:
    content = result["content"][0]
    if call in FAIL:
        return bool(result["isError"]) and json.loads(content["text"])["error"]["type"] == FAIL[call]
    if result.get("isError"):
        return False
    if call == "an image":
        return bool(content["type"] == "image" and base64.b64decode(content["data"]) == DOT)
    if call in TEXT:
        return TEXT[call] in content["text"]
    if "search" in call:
        found = json.loads(content["text"])
        return "[1]" in found["llmContent"] and bool(found["sources"])
    return True


class Served:
    """`groundwire mcp` for a trial: how to start it, and where one listens."""

    def __init__(self, settings: dict[str, str], home: Path, folder: Path, url: str, key: str) -> None:
        self.settings = settings
        """What leads its searches to the emulator."""
        self.environment = {**scrubbed(os.environ, home), **settings}
        self.command = [sys.executable, "-m", "groundwire", "mcp", "--root", str(folder)]
        self.url = url
        self.key = key

    def variables(self) -> dict[str, str]:
        """What the small client programs are told."""
        command, *words = self.command
        server = {"command": command, "args": words, "env": self.environment}
        calls = json.dumps(CALLS)
        return {"SERVER": json.dumps(server), "CALLS": calls, "URL": self.url, "KEY": self.key}


@asynccontextmanager
async def served(trial: Trial) -> AsyncIterator[Served]:
    """An emulator, a folder to work in, and a server that listens."""
    home, folder = trial.new_folder("home"), trial.new_folder("work")
    (folder / "note.txt").write_text("There is a needle here.\n", encoding="utf-8")
    (folder / "dot.png").write_bytes(DOT)
    key = secrets.token_urlsafe(16)
    async with Emulator(sleep=lambda _: asyncio.sleep(LATE_SECONDS)) as emulator:
        settings = emulator.env()
        server = await asyncio.create_subprocess_exec(
            *[sys.executable, "-m", "groundwire", "mcp", "--root", str(folder), "--http", "--port", "0"],
            env={**scrubbed(os.environ, home), **settings, "GROUNDWIRE_MCP_KEY": key},
            stdout=asyncio.subprocess.PIPE,
        )
        try:
            yield Served(settings, home, folder, await _address(server), key)
        finally:
            server.terminate()
            await server.wait()


async def _address(server: asyncio.subprocess.Process) -> str:
    assert server.stdout is not None
    async with asyncio.timeout(60):
        while line := (await server.stdout.readline()).decode():
            if line.startswith("Listening on "):
                return line.split()[2].removesuffix(".")
    raise ClientBroke("groundwire mcp --http did not start")
