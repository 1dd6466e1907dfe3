"""A session on a pair of pipes: order, cancelling, progress, broken input, and the end of the input."""

from __future__ import annotations

import io
import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import pytest

from groundwire.mcp import stdio
from groundwire.mcp.protocol import Session, StartCall
from groundwire.mcp.shapes import Outcome
from groundwire.mcp.stdio import Connection

Done = Callable[[int, Outcome | BaseException], None]
SAID = Outcome([{"type": "text", "text": "hi"}])


class Hands:
    """Carries out calls when a test says so."""

    def __init__(self) -> None:
        self.started: list[StartCall] = []
        self.cancelled: list[int] = []
        self.warmed = 0
        self.closed = False
        self.dones: dict[int, Done] = {}
        self.begun = threading.Semaphore(0)
        self.stopped = threading.Semaphore(0)

    def start(self, call: StartCall, done: Done) -> None:
        self.started.append(call)
        self.dones[call.number] = done
        if isinstance(call.arguments, dict) and "gives" in call.arguments:
            done(call.number, call.arguments["gives"])
        self.begun.release()

    def cancel(self, number: int) -> None:
        self.cancelled.append(number)
        self.stopped.release()

    def warm(self) -> None:
        self.warmed += 1

    def close(self) -> None:
        self.closed = True


class Client:
    """The other end of the pipes."""

    def __init__(self, source: BinaryIO, sink: BinaryIO) -> None:
        self.answers = source
        self.sink = sink

    def send(self, message: object) -> None:
        self.sink.write(json.dumps(message).encode() + b"\n")
        self.sink.flush()

    def call(self, request_id: object, **params: Any) -> None:
        self.send(
            {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": {"name": "echo", **params}}
        )

    def answer(self) -> Any:
        return json.loads(self.answers.readline())


@contextmanager
def connected(hands: Hands, **settings: float) -> Iterator[Client]:
    """A connection in a thread, ended by closing its input."""
    to_server, from_client = os.pipe()
    to_client, from_server = os.pipe()
    with (
        open(to_server, "rb") as source,
        open(from_client, "wb") as sink,
        open(to_client, "rb") as answers,
        open(from_server, "wb", buffering=0) as output,
    ):
        session = Session([{"name": "echo", "inputSchema": {}}], name="s", version="1")
        connection = Connection(session, hands, output, **settings)
        server = threading.Thread(target=connection.serve, args=(source,))
        server.start()
        try:
            yield Client(answers, sink)
        finally:
            sink.close()
            server.join(10)
            assert not server.is_alive()


def spoken(data: bytes, hands: Hands | None = None, last_seconds: float = 0) -> list[Any]:
    """What is answered to this input."""
    output = io.BytesIO()
    session = Session([{"name": "echo", "inputSchema": {}}], name="s", version="1")
    Connection(session, hands or Hands(), output, last_seconds=last_seconds).serve(io.BytesIO(data))
    return [json.loads(line) for line in output.getvalue().splitlines()]


PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
CALL = b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}}\n'


@pytest.mark.parametrize(
    "line",
    [
        b"nonsense",
        b"{",
        b"\xff\xfe",
        b'{"id": NaN}',
        b"[" * 100_000,
        b'{"id": 1' + b"0" * 5000 + b"}",
    ],
    ids=["words", "half", "no UTF-8", "NaN", "deep", "a huge number"],
)
def test_what_is_no_json_is_refused_and_the_session_goes_on(line: bytes) -> None:
    refused, pong = spoken(line + b"\n" + PING)
    assert refused["error"]["code"] == -32700
    assert refused["id"] is None
    assert pong["result"] == {}


def test_blank_lines_and_a_last_line_without_an_end_are_fine() -> None:
    assert len(spoken(b"\n  \r\n" + PING + PING.rstrip())) == 2


def test_a_message_that_is_too_large_is_refused_and_the_next_one_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stdio, "MOST_BYTES", 100)
    refused, pong = spoken(b'"' + b"x" * 350 + b'"\n' + PING)
    assert "larger than 100 bytes" in refused["error"]["message"]
    assert pong["id"] == 1


def test_answers_are_ascii_whatever_is_in_them() -> None:
    output = io.BytesIO()
    session = Session([{"name": "echo", "description": "\u2028\ud800é"}], name="s", version="1")
    line = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'
    Connection(session, Hands(), output).serve(io.BytesIO(line))
    assert output.getvalue().isascii()
    assert output.getvalue().count(b"\n") == 1


def test_the_tools_get_ready_once_the_list_was_asked_for() -> None:
    hands = Hands()
    spoken(PING, hands)
    assert hands.warmed == 0
    spoken(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n' * 2, hands)
    assert hands.warmed == 1


def test_calls_are_answered_in_the_order_they_end() -> None:
    hands = Hands()
    with connected(hands) as client:
        client.call(1)
        client.call(2)
        hands.begun.acquire()
        hands.begun.acquire()
        first, second = hands.started
        hands.dones[second.number](second.number, SAID)
        assert client.answer()["id"] == 2
        hands.dones[first.number](first.number, SAID)
        assert client.answer()["id"] == 1


def test_a_cancelled_call_is_stopped_and_not_answered() -> None:
    hands = Hands()
    with connected(hands) as client:
        client.call(1)
        client.send(
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1, "reason": "x"}}
        )
        hands.stopped.acquire()
        number = hands.started[0].number
        assert hands.cancelled == [number]
        hands.dones[number](number, SAID)
        client.send({"jsonrpc": "2.0", "id": 2, "method": "ping"})
        assert client.answer()["id"] == 2


def test_progress_is_told_while_a_call_runs_and_not_after_it() -> None:
    hands = Hands()
    with connected(hands, progress_seconds=0) as client:
        client.call(1, _meta={"progressToken": 7})
        hands.begun.acquire()
        told = [client.answer(), client.answer()]
        assert [message["params"]["progressToken"] for message in told] == [7, 7]
        number = hands.started[0].number
        hands.dones[number](number, SAID)
        while "id" not in (last := client.answer()):
            assert last["method"] == "notifications/progress"
        client.send({"jsonrpc": "2.0", "id": 2, "method": "ping"})
        assert client.answer()["id"] == 2


def test_a_client_that_does_not_read_is_still_heard() -> None:
    hands = Hands()
    with connected(hands) as client:
        for number in range(3000):  # more answers than a pipe holds
            client.send({"jsonrpc": "2.0", "id": number, "method": "nothing", "params": {}})
        client.call("heard")
        hands.begun.acquire()
        client.answers.close()


def test_what_nobody_foresaw_is_an_internal_error_and_traced(capsys: pytest.CaptureFixture[str]) -> None:
    class Broken(Hands):
        def start(self, call: StartCall, done: Done) -> None:
            done(call.number, ZeroDivisionError("oh"))

    (told,) = spoken(CALL, Broken())
    assert told["error"]["code"] == -32603
    assert "ZeroDivisionError: oh" in told["error"]["message"]
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_when_the_input_ends_a_call_may_finish() -> None:
    hands = Hands()

    def finish() -> None:
        hands.begun.acquire()
        hands.dones[1](1, SAID)

    threading.Thread(target=finish, daemon=True).start()
    (told,) = spoken(CALL, hands, last_seconds=10)
    assert told["result"]["content"] == SAID.content
    assert hands.closed


def test_when_the_input_ends_a_call_that_goes_on_is_cancelled_and_answered() -> None:
    hands = Hands()
    (told,) = spoken(CALL, hands)
    assert told["id"] == 2
    assert "stopped before" in told["error"]["message"]
    assert hands.closed


def test_when_nobody_reads_any_more_nothing_is_waited_for() -> None:
    class Closed(io.BytesIO):
        def write(self, data: Any) -> int:
            raise BrokenPipeError

    hands = Hands()
    session = Session([{"name": "echo", "inputSchema": {}}], name="s", version="1")
    Connection(session, hands, Closed(), last_seconds=60).serve(io.BytesIO(PING + CALL))
    assert hands.closed
