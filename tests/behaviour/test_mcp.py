"""groundwire as an MCP server: its tools, cancelling, progress, and how it begins and ends."""

from __future__ import annotations

import http.client
import json
import os
import resource
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from groundwire import serving
from groundwire.cli import main
from groundwire.mcp.calls import Calls
from groundwire.mcp.declarations import Offer, offered
from groundwire.mcp.protocol import Session
from groundwire.mcp.stdio import Connection
from tests.behaviour.conftest import call_over_mcp, requirement, served, use

QUERY = {"query": "weather in Beijing"}
PATIENCE = 20.0
"""Seconds after which a test that waits has failed."""


class Silent:
    """A provider that takes a question, never answers, and notices when the asker leaves."""

    def __init__(self) -> None:
        self._listener = serving.listening("127.0.0.1", 0, "The test")
        self.asked = threading.Event()
        self.left = threading.Event()
        threading.Thread(target=self._listen, daemon=True).start()

    def env(self) -> dict[str, str]:
        address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        return {"GEMINI_API_KEY": "some-key", "GOOGLE_GEMINI_BASE_URL": address}

    def _listen(self) -> None:
        connection, _ = self._listener.accept()
        with connection, self._listener:
            connection.recv(65536)
            self.asked.set()
            while connection.recv(65536):
                pass
            self.left.set()


class Client:
    """Talks to a server through a pair of pipes."""

    def __init__(self, sink: Any, answers: Any) -> None:
        self.sink = sink
        self.answers = answers

    def say(self, method: str, params: object, **more: object) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params, **more}
        self.sink.write(json.dumps(message).encode() + b"\n")
        self.sink.flush()

    def call(self, name: str, arguments: object, request_id: int = 1, **params: object) -> None:
        self.say("tools/call", {"name": name, "arguments": arguments, **params}, id=request_id)

    def hear(self) -> Any:
        return json.loads(self.answers.readline())


@contextmanager
def process(*words: str, env: Mapping[str, str] | None = None, cwd: Path) -> Iterator[Any]:
    """`groundwire mcp` as a host starts it."""
    with subprocess.Popen(
        [sys.executable, "-m", "groundwire", "mcp", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **(env or {})},
        cwd=cwd,
    ) as running:
        try:
            yield running
        finally:
            running.kill()


@requirement("mcp:tools")
@pytest.mark.parametrize(
    ("tool", "path"),
    [
        ("geminisearch", "/v1beta/models/gemini-2.5-flash:generateContent"),
        ("websearch_gemini", "/v1beta/models/gemini-2.5-flash:generateContent"),
        ("websearch_openai_oauth", "/backend-api/codex/responses"),
        ("websearch_openrouter", "/api/v1/responses"),
        ("websearch", "/v1beta/models/gemini-2.5-flash:generateContent"),
    ],
)
def test_each_search_tool_asks_its_provider(monkeypatch: pytest.MonkeyPatch, tool: str, path: str) -> None:
    with served() as emulator:
        use(emulator, monkeypatch)
        answer = call_over_mcp(tool, QUERY)
    assert answer["result"]["isError"] is False
    assert "[1]" in answer["result"]["structuredContent"]["llmContent"]
    assert [request.path for request in emulator.requests] == [path]


@requirement("mcp:tools")
@pytest.mark.parametrize(
    ("tool", "path"), [("openai_oauth", "/backend-api/codex/responses"), ("openrouter", "/api/v1/responses")]
)
def test_bare_names_ask_the_same_providers(monkeypatch: pytest.MonkeyPatch, tool: str, path: str) -> None:
    with served() as emulator:
        use(emulator, monkeypatch)
        assert not call_over_mcp(tool, QUERY, offer=Offer("search", "bare"))["result"]["isError"]
    assert [request.path for request in emulator.requests] == [path]


@requirement("mcp:tools")
def test_file_tools_work_in_their_folder_and_nowhere_else(tmp_path: Path) -> None:
    offer = Offer("files", root=str(tmp_path))
    written = call_over_mcp("write_file", {"file_path": "a.txt", "content": "hello"}, offer=offer)
    assert not written["result"]["isError"]
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "hello"
    read = call_over_mcp("read_file", {"file_path": "a.txt"}, offer=offer)
    assert read["result"]["content"] == [{"type": "text", "text": "hello"}]
    outside = call_over_mcp("read_file", {"file_path": "/etc/passwd"}, offer=offer)["result"]
    assert outside["isError"]
    assert json.loads(outside["content"][0]["text"])["error"]["type"] == "invalid_tool_params"


@requirement("mcp:tools")
def test_an_image_comes_as_an_image(tmp_path: Path) -> None:
    (tmp_path / "dot.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(20))
    told = call_over_mcp("read_file", {"file_path": "dot.png"}, offer=Offer("files", root=str(tmp_path)))
    (part,) = told["result"]["content"]
    assert (part["type"], part["mimeType"]) == ("image", "image/png")


@requirement("mcp:tools")
def test_a_server_that_only_reads_has_no_tool_that_writes(tmp_path: Path) -> None:
    offer = Offer("files", root=str(tmp_path), read_only=True)
    told = call_over_mcp("write_file", {"file_path": "a.txt", "content": "hello"}, offer=offer)
    assert told["error"]["code"] == -32602
    assert not (tmp_path / "a.txt").exists()


@requirement("mcp:tools")
def test_many_calls_at_once_are_all_answered_and_writes_keep_their_order(tmp_path: Path) -> None:
    with process("--tools", "files", "--root", str(tmp_path), cwd=tmp_path) as server:
        client = Client(server.stdin, server.stdout)
        for number in range(60):
            client.call("write_file", {"file_path": "log.txt", "content": f"{number}"}, request_id=number)
            client.call("list_directory", {"dir_path": "."}, request_id=1000 + number)
        answered = {client.hear()["id"] for _ in range(120)}
    assert answered == {*range(60), *range(1000, 1060)}
    assert (tmp_path / "log.txt").read_text(encoding="utf-8") == "59"


@requirement("mcp:same-result")
@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26"])
def test_older_versions_get_the_json_as_text_alone(version: str, scrubbed_environment: Path) -> None:
    told = call_over_mcp("websearch_gemini", QUERY, version=version)["result"]
    assert "structuredContent" not in told
    assert told["isError"]
    assert json.loads(told["content"][0]["text"])["error"]["type"] == "MISSING_GEMINI_API_KEY"


@requirement("mcp:same-result")
@pytest.mark.parametrize("arguments", [{"query": " "}, {"query": "x", "foo": 1}, ["x"], "x", 7])
def test_wrong_arguments_are_an_error_the_model_reads(arguments: object) -> None:
    told = call_over_mcp("websearch_gemini", arguments)["result"]
    assert told["isError"]
    assert told["structuredContent"]["error"]["type"] in ("INVALID_QUERY", "INVALID_TOOL_ARGUMENTS")


@requirement("mcp:cancelled")
def test_cancelling_a_search_closes_its_connection(tmp_path: Path) -> None:
    provider = Silent()
    with process("--tools", "search", env=provider.env(), cwd=tmp_path) as server:
        client = Client(server.stdin, server.stdout)
        client.call("websearch_gemini", QUERY)
        assert provider.asked.wait(PATIENCE)
        client.say("notifications/cancelled", {"requestId": 1, "reason": "the person left"})
        assert provider.left.wait(PATIENCE)
        client.say("ping", {}, id=2)
        assert client.hear()["id"] == 2


@requirement("mcp:progress")
def test_a_client_hears_that_its_search_still_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    provider = Silent()
    for name, value in provider.env().items():
        monkeypatch.setenv(name, value)
    tools = offered(Offer("search"))
    to_server, from_client = os.pipe()
    to_client, from_server = os.pipe()
    with (
        open(to_server, "rb") as source,
        open(from_client, "wb") as sink,
        open(to_client, "rb") as answers,
        open(from_server, "wb", buffering=0) as output,
    ):
        session = Session(tools.declared, name="s", version="0")
        calls = Calls(Offer("search"), tools)
        connection = Connection(session, calls, output, progress_seconds=0.01, last_seconds=0)
        serving = threading.Thread(target=connection.serve, args=(source,))
        serving.start()
        client = Client(sink, answers)
        client.call("websearch_gemini", QUERY, _meta={"progressToken": "mine"})
        heard = [client.hear() for _ in range(3)]
        sink.close()
        serving.join(PATIENCE)
    assert [told["method"] for told in heard] == ["notifications/progress"] * 3
    assert [told["params"]["progress"] for told in heard] == [1, 2, 3]
    assert {told["params"]["progressToken"] for told in heard} == {"mine"}


@requirement("mcp:closed")
@pytest.mark.parametrize("still_read", [True, False])
def test_a_server_whose_input_closes_in_mid_call_ends_cleanly(tmp_path: Path, still_read: bool) -> None:
    provider = Silent()
    with process("--tools", "search", env=provider.env(), cwd=tmp_path) as server:
        Client(server.stdin, server.stdout).call("websearch_gemini", QUERY)
        assert provider.asked.wait(PATIENCE)
        if not still_read:
            server.stdout.close()
        server.stdin.close()
        if still_read:
            told = json.loads(server.stdout.read())
            assert "stopped before" in told["error"]["message"]
        assert server.wait(PATIENCE) == 0
        assert provider.left.wait(PATIENCE)
        assert server.stderr.read() == b""


@requirement("mcp:closed")
def test_a_server_that_is_asked_to_end_does_so_in_mid_call(tmp_path: Path) -> None:
    provider = Silent()
    with process("--tools", "search", env=provider.env(), cwd=tmp_path) as server:
        Client(server.stdin, server.stdout).call("websearch_gemini", QUERY)
        assert provider.asked.wait(PATIENCE)
        server.terminate()
        assert server.wait(PATIENCE) == 0
        assert server.stderr.read() == b""


@requirement("mcp:closed")
def test_a_search_through_files_that_is_left_behind_leaves_no_process(tmp_path: Path) -> None:
    """The input ends at once after the call: it may finish or be cancelled, and is answered either way."""
    (tmp_path / "a.txt").write_text("needle\n" * 1000, encoding="utf-8")
    with process("--tools", "files", "--root", str(tmp_path), cwd=tmp_path) as server:
        Client(server.stdin, server.stdout).call("grep_search", {"pattern": "need.e"})
        server.stdin.close()
        told = json.loads(server.stdout.read())
        assert "needle" in told["result"]["content"][0]["text"]
        assert server.wait(PATIENCE) == 0


@requirement("mcp:quiet")
def test_only_the_protocol_is_on_standard_output(tmp_path: Path, scrubbed_environment: Path) -> None:
    (tmp_path / "groundwire.toml").write_text("[search\n", encoding="utf-8")
    params = b'{"name":"websearch","arguments":{"query":"x"}}'
    lines = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":' + params + b"}\n"
    with process("--tools", "search", cwd=tmp_path) as server:
        out, err = server.communicate(b"this is no JSON\n" + lines, timeout=PATIENCE)
    refused, answer = map(json.loads, out.splitlines())
    assert refused["error"]["code"] == -32700
    assert answer["result"]["isError"]
    assert b"groundwire.toml" in err


@pytest.mark.skipif(not Path("/proc/self/statm").is_file(), reason="the size of a process is not told here")
@requirement("mcp:started")
def test_an_idle_server_is_small(tmp_path: Path) -> None:
    """Below 35 MB, with the file tools loaded; `make bench ONLY=mcp` has the numbers."""
    with process("--root", str(tmp_path), cwd=tmp_path) as server:
        client = Client(server.stdin, server.stdout)
        client.say("tools/list", {}, id=1)
        assert len(client.hear()["result"]["tools"]) > 5
        client.call("list_directory", {"dir_path": "."}, 2)
        assert not client.hear()["result"]["isError"]
        pages = int(Path(f"/proc/{server.pid}/statm").read_text(encoding="ascii").split()[1])
        assert pages * resource.getpagesize() < 35_000_000
        server.stdin.close()
        assert server.wait(PATIENCE) == 0


@requirement("mcp:started")
def test_a_wrong_folder_is_told_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp", "--root", "/no/such/folder"]) == 2
    assert "/no/such/folder" in capsys.readouterr().err


@requirement("mcp:started")
@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_a_closed_pipe_is_told_at_once(tmp_path: Path, closed: str) -> None:
    words = ["sh", "-c", f'"$0" -m groundwire mcp {closed}', sys.executable]
    ended = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, cwd=tmp_path, check=False)
    assert ended.returncode == 2
    assert b"is closed" in ended.stderr


@requirement("mcp:started")
def test_a_port_without_http_is_told_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp", "--port", "1"]) == 2
    assert "--http" in capsys.readouterr().err


@requirement("mcp:started")
def test_a_taken_port_is_told_with_a_way_out(capsys: pytest.CaptureFixture[str]) -> None:
    with serving.listening("127.0.0.1", 0, "The test") as taken:
        assert main(["mcp", "--http", "--port", str(taken.getsockname()[1])]) == 2
    told = capsys.readouterr().err
    assert "Address already in use" in told
    assert "--port" in told


@requirement("mcp:started")
def test_without_the_sdk_http_names_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert main(["mcp", "--http"]) == 2
    assert "pip install 'groundwire[mcp-http]'" in capsys.readouterr().err


@contextmanager
def listening(tmp_path: Path, *words: str, env: Mapping[str, str] | None = None) -> Iterator[tuple[str, str]]:
    """The address of `groundwire mcp --http`, and what it said before."""
    with process("--http", "--port", "0", "--root", str(tmp_path), *words, env=env, cwd=tmp_path) as server:
        told = ""
        while "Listening on" not in (line := server.stdout.readline().decode()):
            assert line, server.stderr.read().decode()
            told += line
        yield line.split()[2].removesuffix("."), told
        server.terminate()
        assert server.wait(PATIENCE) == 0


def posted(address: str, **headers: str) -> int:
    """The status of a request with these headers."""
    host, _, path = address.removeprefix("http://").partition("/")
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    always = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    connection = http.client.HTTPConnection(host, timeout=PATIENCE)
    try:
        connection.request("POST", f"/{path}", body, {**always, **headers})
        return connection.getresponse().status
    finally:
        connection.close()


class Posting:
    """A client of the version 2025-06-18 over HTTP."""

    def __init__(self, address: str, key: str, left_open: ExitStack) -> None:
        self._left_open = left_open
        self._host, _, path = address.removeprefix("http://").partition("/")
        self._path = f"/{path}"
        self._headers = {
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "authorization": f"Bearer {key}",
        }
        client = {"name": "posting", "version": "0"}
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        answer = self.say("initialize", params, id=0)
        answer.read()
        self._headers["mcp-session-id"] = answer.headers["mcp-session-id"]

    def call(self, name: str, arguments: object) -> http.client.HTTPResponse:
        return self.say("tools/call", {"name": name, "arguments": arguments}, id=1)

    def say(self, method: str, params: object, **more: object) -> http.client.HTTPResponse:
        return self.send("POST", {"jsonrpc": "2.0", "method": method, "params": params, **more})

    def send(self, verb: str, message: object) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection(self._host, timeout=PATIENCE)
        self._left_open.callback(connection.close)
        connection.request(verb, self._path, json.dumps(message), self._headers)
        answer = connection.getresponse()
        self._left_open.callback(answer.close)
        return answer


@requirement("mcp:http")
def test_over_http_the_key_is_required_and_pages_are_refused(tmp_path: Path) -> None:
    with listening(tmp_path, env={"GROUNDWIRE_MCP_KEY": "the-right-key"}) as (address, told):
        assert "the-right-key" not in told
        right = {"authorization": "Bearer the-right-key"}
        assert posted(address) == 401
        assert posted(address, authorization="Bearer another-key") == 401
        assert posted(address, **right, host="evil.example") == 421
        assert posted(address, **right, origin="http://evil.example") == 403
        assert posted(address, **right) not in (401, 403, 421)


@requirement("mcp:http")
def test_a_key_is_made_at_the_first_start_and_shown_once(tmp_path: Path) -> None:
    kept = tmp_path / "keys" / "mcp"
    with listening(tmp_path, "--key-file", str(kept)) as (address, told):
        key = kept.read_text(encoding="utf-8").strip()
        assert f"Authorization: Bearer {key}" in told
        assert posted(address, authorization=f"Bearer {key}") != 401
    assert kept.stat().st_mode & 0o777 == 0o600
    with listening(tmp_path, "--key-file", str(kept)) as (_, told):
        assert key not in told
        assert str(kept) in told


@requirement("mcp:http")
async def test_the_official_client_lists_and_calls_over_http(tmp_path: Path) -> None:
    import httpx2
    from mcp.client.client import Client as OfficialClient
    from mcp.client.streamable_http import streamable_http_client

    (tmp_path / "a.txt").write_text("hello", encoding="utf-8")
    headers = {"authorization": "Bearer the-right-key"}
    with listening(tmp_path, "--tools", "files", env={"GROUNDWIRE_MCP_KEY": "the-right-key"}) as (address, _):
        async with (
            httpx2.AsyncClient(headers=headers, trust_env=False) as http,
            OfficialClient(streamable_http_client(address, http_client=http)) as client,
        ):
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert "read_file" in names
            read = await client.call_tool("read_file", {"file_path": "a.txt"})
            assert read.content[0].text == "hello"  # type: ignore[union-attr]
            missing = await client.call_tool("read_file", {"file_path": "b.txt"})
            assert missing.is_error
            (tmp_path / os.fsdecode(b"\xff.txt")).touch()  # a name that is no UTF-8
            listed = await client.call_tool("list_directory", {"dir_path": "."})
            assert "?.txt" in listed.content[0].text  # type: ignore[union-attr]


@requirement("mcp:cancelled")
@pytest.mark.parametrize("leaving", ["cancelled", "deleted", "stopped"])
def test_over_http_a_search_nobody_waits_for_closes_its_connection(tmp_path: Path, leaving: str) -> None:
    provider = Silent()
    env = {**provider.env(), "GROUNDWIRE_MCP_KEY": "the-right-key"}
    with ExitStack() as left_open, listening(tmp_path, "--tools", "search", env=env) as (address, _):
        session = Posting(address, "the-right-key", left_open)
        answers = session.call("websearch_gemini", QUERY)
        assert provider.asked.wait(PATIENCE)
        if leaving == "cancelled":
            session.say("notifications/cancelled", {"requestId": 1})
            assert b"cancelled" in answers.read()
        elif leaving == "deleted":
            session.send("DELETE", None)
        if leaving != "stopped":
            assert provider.left.wait(PATIENCE)
    assert provider.left.wait(PATIENCE)
