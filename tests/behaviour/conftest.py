"""The same sentences over several doors: the library in process, the command line, and MCP."""

from __future__ import annotations

import asyncio
import io
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import msgspec
import pytest

from groundwire.cli import main
from groundwire.config import load_config
from groundwire.emulator import Emulator
from groundwire.mcp.calls import Calls
from groundwire.mcp.declarations import Offer, offered
from groundwire.mcp.protocol import Session
from groundwire.mcp.stdio import Connection
from groundwire.runtime import Runtime
from groundwire.testing import AsgiTransport


def requirement(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Says which promises a test proves."""

    def declare(test: Callable[..., Any]) -> Callable[..., Any]:
        test.requirements = names  # type: ignore[attr-defined]
        return test

    return declare


@dataclass(frozen=True)
class Told:
    """What came of a search: the JSON a caller gets, and the requests the emulator saw."""

    json: dict[str, Any]
    requests: list[Any] = field(default_factory=list)
    exit_code: int = 0


class Door(Protocol):
    """A way into groundwire."""

    def __call__(
        self, query: str, *words: str, scenario: str = "", env: Mapping[str, str] | None = None
    ) -> Told: ...


OPTIONS: dict[str, tuple[str, Callable[[str], object]]] = {
    "--provider": ("provider", str),
    "--max-sources": ("max_sources", int),
    "--language": ("language", str),
    "--region": ("region", str),
    "--timeout": ("timeout", float),
    "--model": ("model", str),
}
FLAGS = {"--raw": "raw", "--resolve-links": "resolve_links"}


async def _no_sleep(seconds: float) -> None:
    await asyncio.sleep(0)


def through_library(home: Path) -> Door:
    """Asks the Runtime in process, the emulator mounted without a socket."""

    def ask(query: str, *words: str, scenario: str = "", env: Mapping[str, str] | None = None) -> Told:
        emulator = Emulator(scenario=scenario)
        environment = emulator.env() if env is None else {**emulator.env(), **env}
        environment = {name: value for name, value in environment.items() if value}
        arguments: dict[str, object] = {}
        rest = list(words)
        while rest:
            word = rest.pop(0)
            if word in FLAGS:
                arguments[FLAGS[word]] = True
            else:
                name, kind = OPTIONS[word]
                arguments[name] = kind(rest.pop(0))

        async def search() -> dict[str, Any]:
            config = load_config(env=environment, cwd=home, home=home, arguments=arguments)
            async with Runtime(
                config, env=environment, http=AsgiTransport(emulator.app), sleep=_no_sleep
            ) as runtime:
                return (await runtime.search(query, str(arguments.get("provider") or "") or None)).to_json()

        try:
            return Told(asyncio.run(search()), emulator.requests)
        finally:
            emulator.close()

    return ask


@pytest.fixture
def workspace(scrubbed_environment: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, and the working directory."""
    folder = scrubbed_environment / "workspace"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def emulator(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Emulator]:
    """An emulator behind every address that groundwire asks; its model saves Beijing's weather."""
    with served(script="weather") as emulator:
        use(emulator, monkeypatch)
        yield emulator


def use(emulator: Emulator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Point this process at the emulator."""
    for name, value in emulator.env().items():
        monkeypatch.setenv(name, value)


@contextmanager
def served(scenario: str = "", script: str | None = None) -> Iterator[Emulator]:
    """An emulator on a socket, in a thread of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    emulator = Emulator(scenario=scenario, script=script)
    try:
        asyncio.run_coroutine_threadsafe(emulator.__aenter__(), loop).result(10)
        try:
            yield emulator
        finally:
            asyncio.run_coroutine_threadsafe(emulator.__aexit__(None, None, None), loop).result(10)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


def through_command_line(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Door:
    """Types `groundwire search … --json`, the emulator on loopback."""

    def ask(query: str, *words: str, scenario: str = "", env: Mapping[str, str] | None = None) -> Told:
        monkeypatch.chdir(home)
        defaults = Runtime.__init__.__kwdefaults__
        assert defaults is not None
        monkeypatch.setitem(defaults, "sleep", _no_sleep)
        with served(scenario) as emulator:
            for name, value in {**emulator.env(), **(env or {})}.items():
                monkeypatch.setenv(name, value)
            exit_code = main(["search", "--json", *words, "--", query])
            return Told(msgspec.json.decode(capsys.readouterr().out), emulator.requests, exit_code)

    return ask


def call_over_mcp(
    name: str, arguments: object, *, version: str = "2025-11-25", offer: Offer | None = None
) -> Any:
    """The response to one call of a tool, on a pair of pipes without a process."""
    tools = offered(offer or Offer("search"))
    hello = {"id": 1, "method": "initialize", "params": {"protocolVersion": version}}
    call = {"id": 2, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    lines = "".join(f"{json.dumps({'jsonrpc': '2.0', **message})}\n" for message in (hello, call))
    output = io.BytesIO()
    session = Session(tools.declared, name="groundwire", version="0")
    connection = Connection(session, Calls(offer or Offer("search"), tools), output, last_seconds=30)
    connection.serve(io.BytesIO(lines.encode()))
    _, answer = map(json.loads, output.getvalue().splitlines())
    return answer


def through_mcp(home: Path, monkeypatch: pytest.MonkeyPatch) -> Door:
    """Calls the tool `websearch`, the emulator on loopback; what a tool does not take is configured."""

    def ask(query: str, *words: str, scenario: str = "", env: Mapping[str, str] | None = None) -> Told:
        monkeypatch.chdir(home)
        defaults = Runtime.__init__.__kwdefaults__
        assert defaults is not None
        monkeypatch.setitem(defaults, "sleep", _no_sleep)
        arguments = {"query": query}
        settings: dict[str, str] = {}
        rest = list(words)
        while rest:
            word = rest.pop(0)
            value = "true" if word in FLAGS else rest.pop(0)
            if word == "--provider":
                arguments["provider"] = value
            else:
                settings[f"GROUNDWIRE_{word.removeprefix('--').replace('-', '_').upper()}"] = value
        with served(scenario) as emulator, monkeypatch.context() as patch:
            for name, value in {**emulator.env(), **settings, **(env or {})}.items():
                patch.setenv(name, value)
            result = call_over_mcp("websearch", arguments)["result"]
            told = json.loads(result["content"][0]["text"])
            assert result["structuredContent"] == told
            assert result["isError"] == ("error" in told)
            return Told(told, emulator.requests)

    return ask


@pytest.fixture(params=["library", "command line", "mcp"])
def ask(
    request: pytest.FixtureRequest,
    scrubbed_environment: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Door:
    """Searches through one of the doors; each test runs through all of them."""
    if request.param == "library":
        return through_library(scrubbed_environment)
    if request.param == "mcp":
        return through_mcp(scrubbed_environment, monkeypatch)
    return through_command_line(scrubbed_environment, monkeypatch, capsys)
