"""Whatever an upstream does, a client gets an answer it can read, a status, or a broken connection.

Every scenario of the emulator is played through the gateway, and streams are cut at every possible byte.
"""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groundwire.emulator import Emulator
from groundwire.emulator.scenarios import catalogue
from groundwire.errors import TransportError
from groundwire.gateway import relay
from groundwire.gateway.ending import KNOWN
from groundwire.gateway.refusals import Refused
from groundwire.transport.base import Response
from groundwire.transport.sse import as_event
from tests.unit.gateway.conftest import ARRAY, GENERATE, KEY, STREAM, gateway_before, gateway_to, hello
from tests.unit.gateway.raw_http import Client, Heard, answer, chunked, post, read_request
from tests.unit.gateway.test_service import text_of

API = {"api-key": "gemini", "code-assist": "code-assist", "vertex": "vertex"}
SLOW = {"latency", "slow-drip"}
SCENARIOS = [
    (name, kind)
    for name, scenario in catalogue().items()
    for kind, api in API.items()
    if name not in SLOW and (not scenario.apis or api in scenario.apis)
]


def ends_well(heard: Heard, path: str) -> bool:
    """Whether a client that gets this answer knows that it is over: an error, a known end, or a cut."""
    if heard.cut:
        return True
    if heard.status != 200:
        return bool(heard.error["message"]) and heard.error["code"] == heard.status
    documents: list[Any] = [heard.json] if path == GENERATE else heard.json if path == ARRAY else heard.events
    reasons = [one.get("finishReason") for document in documents for one in document.get("candidates", [])]
    return bool(reasons) and reasons[-1] in KNOWN and all(reason in KNOWN for reason in reasons if reason)


@pytest.mark.parametrize("path", [GENERATE, STREAM, ARRAY], ids=["whole", "events", "array"])
@pytest.mark.parametrize(("scenario", "kind"), SCENARIOS)
async def test_every_scenario_ends_well_for_the_client(scenario: str, path: str, kind: str) -> None:
    async with gateway_before(Emulator(scenario=scenario), kind) as ask:
        heard = await ask(path, hello("hello, 北京 🌦"))
        assert ends_well(heard, path), heard


@pytest.mark.parametrize(
    "scenario",
    [
        "sse-lf",
        "sse-multi-line",
        "sse-no-space",
        "sse-done",
        "sse-comments",
        "sse-no-last-blank",
        "split-multibyte",
        "no-finish-reason",
    ],
)
async def test_however_the_upstream_writes_its_stream_the_client_gets_the_plainest_form(
    scenario: str, kind: str
) -> None:
    async with gateway_before(Emulator(scenario=scenario), kind) as ask:
        events = (await ask(STREAM, hello("hello, 北京 🌦"))).events
        assert text_of(events) == "You said: hello, 北京 🌦"
        assert events[-1]["candidates"][0]["finishReason"] == "STOP"


@pytest.mark.parametrize("path", [GENERATE, STREAM, ARRAY], ids=["whole", "events", "array"])
@pytest.mark.parametrize(
    ("scenario", "status", "retry_after"),
    [
        ("rate-limit", 429, "1"),
        ("rate-limit-bare", 429, "27"),
        ("quota", 429, "33741"),
        ("plain-429", 429, None),
        ("capacity", 429, None),
        ("array-error", 429, None),
        ("overloaded", 503, None),
        ("internal-error", 500, None),
        ("event-typed-error", 403, None),
        ("validation-403", 403, None),
        ("model-missing", 404, None),
        ("html-error", 502, None),
        ("cut-at-once", 502, None),
        ("garbage", 502, None),
    ],
)
async def test_an_error_before_the_first_byte_is_a_status_with_the_time_to_wait(
    scenario: str, status: int, retry_after: str | None, path: str, kind: str
) -> None:
    async with gateway_before(Emulator(scenario=scenario), kind) as ask:
        heard = await ask(path, hello())
        assert (heard.status, heard.headers.get("retry-after")) == (status, retry_after)
        assert heard.headers["content-type"] == "application/json; charset=UTF-8"
        assert heard.error["code"] == status
        assert heard.error["status"].isupper()


async def test_a_credential_that_google_refuses_is_told_to_be_the_gateways_own() -> None:
    async def visit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        detail = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
        error = {
            "code": 400,
            "message": "API key not valid.",
            "status": "INVALID_ARGUMENT",
            "details": [detail],
        }
        writer.write(answer(msgspec.json.encode({"error": error}), "400 Bad Request"))

    async with gateway_to(visit) as ask:
        heard = await ask(GENERATE, hello())
        assert heard.status == 400
        assert heard.error["message"] == (
            "Gemini API refused the gateway's own credential: API key not valid."
        )
    async with gateway_before(Emulator(scenario="unauthorized-once"), "code-assist") as ask:
        heard = await ask(STREAM, hello())
        assert heard.status == 401
        assert heard.error["message"].startswith(
            "Code Assist refused the gateway's own credential: Request had"
        )


async def test_the_details_of_an_error_reach_the_client(kind: str) -> None:
    async with gateway_before(Emulator(scenario="validation-403"), kind) as ask:
        reasons = [detail.get("reason") for detail in (await ask(STREAM, hello())).error["details"]]
        assert "VALIDATION_REQUIRED" in reasons


FIRST = b'data: {"candidates":[{"content":{"parts":[{"text":"x"}]}}]}\r\n\r\n'


@pytest.mark.parametrize(
    "later",
    [
        chunked(b'data: {"error":{"code":503,"message":"The model is overloaded."}}\r\n\r\n'),
        chunked(b'data: [{"error":{"code":503,"message":"The model is overloaded."}}]\r\n\r\n'),
        chunked(b"data: {]}\r\n\r\n"),
        chunked(b'data: {"candidates":7}\r\n\r\n'),
        chunked(b'data: {"candidates":[{"finishRea'),
        chunked(FIRST, end=False),
        b"",
        b"zz\r\n",
    ],
)
@pytest.mark.parametrize("path", [STREAM, ARRAY], ids=["events", "array"])
async def test_a_failure_after_the_first_byte_breaks_the_connection(
    later: bytes, path: str, kind: str
) -> None:
    passed_on = asyncio.Event()

    async def visit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + chunked(FIRST, end=False))
        await passed_on.wait()
        writer.write(later)

    async with gateway_to(visit, kind) as ask:
        client = await Client.to(ask.gateway.base_url)
        client.send(post(path, b'{"contents":[]}', f"x-goog-api-key: {KEY}"))
        heard = await client.hear_head()
        passed_on.set()
        await client.hear_chunks(heard)
        await client.close()
        assert (heard.status, heard.cut) == (200, True)
        assert b"overloaded" not in heard.body
        assert ask.gateway.service.metrics.streams_cut == 1


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"{}",
        b"null",
        b"[]",
        b"data: {}\n\n",
        b"data: {\n\n",
        b'data: {"candidates":[{"content":{"parts":[{"text":"half',
        b"data: [DONE]\n\n",
        b": only a comment\n\n",
        b"<html>",
        b"\xff\xfe\xfd",
        b'data: {"candidates":7}\n\n',
        b'data: {"usageMetadata":{}}\n\n',
        b"[" * 100_000,
    ],
)
async def test_a_stream_that_says_nothing_is_a_502(sent: bytes, kind: str) -> None:
    async def visit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
        )
        writer.write(chunked(sent))

    async with gateway_to(visit, kind) as ask:
        heard = await ask(STREAM, hello())
        assert (heard.status, heard.error["status"]) == (502, "UNAVAILABLE")


async def test_a_redirect_is_not_followed(kind: str) -> None:
    async def visit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(answer(b"", "302 Found", "location: http://127.0.0.1:9/"))

    async with gateway_to(visit, kind) as ask:
        assert (await ask(GENERATE, hello())).status == 502


class Kept:
    """An outlet that keeps what it is given."""

    def __init__(self) -> None:
        self.started = False
        self.body = b""
        self.ended = False

    def send(self, status: int, headers: relay.HeaderPairs, body: bytes) -> None:
        raise AssertionError("a stream is not sent whole")

    def start(self, status: int, headers: relay.HeaderPairs) -> None:
        self.started = True

    async def write(self, data: bytes) -> None:
        self.body += data

    def end(self) -> None:
        self.ended = True


def relayed(pieces: list[bytes], framing: relay.Framing) -> Kept:
    """What a client gets of an upstream's stream that comes in these pieces."""

    async def chunks() -> Any:
        for piece in pieces:
            yield piece

    async def run() -> Kept:
        outlet = Kept()
        await relay.stream(Response(200, {}, chunks()), outlet, framing, "upstream")
        return outlet

    return asyncio.run(run())


TEXTS = st.lists(st.text(max_size=20), min_size=1, max_size=6)
SEPARATORS = st.sampled_from([b"\n\n", b"\r\n\r\n", b"\r\r", b"\n\r\n"])
FIELDS = st.sampled_from([b"data: ", b"data:"])
NOISE = st.sampled_from([b"", b": comment\n\n", b"event: message\n", b"id: 3\n", b"retry: 1\n\n"])


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    texts=TEXTS,
    separator=SEPARATORS,
    field=FIELDS,
    noise=NOISE,
    last=st.booleans(),
    wrapped=st.booleans(),
    cuts=st.lists(st.integers(0, 2000), max_size=12),
)
def test_any_split_of_any_stream_gives_the_same_events(
    texts: list[str], separator: bytes, field: bytes, noise: bytes, last: bool, wrapped: bool, cuts: list[int]
) -> None:
    documents: list[dict[str, Any]] = [
        {"candidates": [{"content": {"parts": [{"text": text}]}, "index": 0}]} for text in texts
    ]
    documents[-1]["candidates"][0]["finishReason"] = "STOP"
    sent = [{"response": document} if wrapped else document for document in documents]
    body = b"".join(noise + field + msgspec.json.encode(one) + separator for one in sent)
    if not last:
        body = body[: -len(separator)] + b"\n"
    places = sorted({0, *(cut % len(body) for cut in cuts), len(body)})
    pieces = [body[start:end] for start, end in pairwise(places)]
    outlet = relayed(pieces, relay.Events())
    assert outlet.body == b"".join(as_event(msgspec.json.encode(document)) for document in documents)
    assert outlet.ended
    assert msgspec.json.decode(relayed(pieces, relay.Array()).body) == documents


@settings(max_examples=300, deadline=None)
@given(pieces=st.lists(st.binary(max_size=40), max_size=8))
def test_no_bytes_of_an_upstream_are_more_than_an_answer_or_a_failure(pieces: list[bytes]) -> None:
    try:
        outlet = relayed(pieces, relay.Events())
    except (Refused, TransportError):
        return
    assert outlet.ended
