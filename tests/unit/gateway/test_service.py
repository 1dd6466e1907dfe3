"""The gateway in front of an emulator: who is let in, what is served, and how failures are told."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from groundwire.emulator import Emulator
from groundwire.gateway.debug_log import DebugLog
from tests.unit.gateway.conftest import (
    ARRAY,
    GENERATE,
    KEY,
    REAL_KEY,
    REAL_TOKEN,
    STREAM,
    gateway_before,
    gateway_to,
    hello,
)
from tests.unit.gateway.raw_http import Client, answer, chunked, get, post, read_request, until

VERSIONS = ("v1", "v1beta", "v1alpha")


def text_of(documents: list[Any]) -> str:
    return "".join(
        part.get("text", "")
        for document in documents
        for candidate in document["candidates"]
        for part in candidate.get("content", {}).get("parts", [])
    )


@pytest.mark.parametrize("version", VERSIONS)
async def test_every_version_of_the_api_is_served(version: str, kind: str) -> None:
    model = f"/{version}/models/gemini-2.5-flash"
    async with gateway_before(Emulator(), kind) as ask:
        whole = await ask(f"{model}:generateContent", hello())
        assert text_of([whole.json]) == "You said: hello"
        streamed = await ask(f"{model}:streamGenerateContent?alt=sse", hello())
        assert streamed.headers["content-type"] == "text/event-stream"
        assert text_of(streamed.events) == "You said: hello"
        assert streamed.events[-1]["candidates"][0]["finishReason"] == "STOP"
        array = await ask(f"{model}:streamGenerateContent", hello())
        assert array.headers["content-type"].startswith("application/json")
        assert text_of(array.json) == "You said: hello"
        assert (await ask(f"{model}:countTokens", hello())).json["totalTokens"] == 2
        listed = (await ask(f"/{version}/models")).json["models"]
        assert "models/gemini-2.5-flash" in [one["name"] for one in listed]
        assert (await ask(model)).json["name"] == "models/gemini-2.5-flash"


async def test_the_upstream_gets_the_real_credential_and_never_the_gateways_key(kind: str) -> None:
    async with gateway_before(Emulator(), kind) as ask:
        for lines in ((f"x-goog-api-key: {KEY}",), (f"authorization: Bearer {KEY}", "cookie: a=b")):
            await ask(GENERATE, hello(), *lines, key="")
        await ask(f"{GENERATE}?key={KEY}", hello(), key="")
        await ask(f"/v1beta/models?key={KEY}&pageSize=2", key="")
        assert ask.emulator is not None
        assert len(ask.emulator.requests) == 4
        for call in ask.emulator.requests:
            assert KEY not in str((call.query, call.headers, call.body))
            assert "cookie" not in call.headers
            assert call.headers.get("x-goog-api-key") == REAL_KEY or call.bearer == REAL_TOKEN


@pytest.mark.parametrize("path", [GENERATE, STREAM, "/v1beta/models", "/v1beta/files", "/nothing"])
@pytest.mark.parametrize("key", ["", "another-key", KEY[:-1], f"{KEY}x"])
async def test_a_wrong_key_is_401_and_nothing_is_asked(path: str, key: str) -> None:
    async with gateway_before(Emulator()) as ask:
        heard = await ask(path, hello() if "generate" in path.lower() else None, key=key)
        assert heard.status == 401
        assert heard.error["status"] == "UNAUTHENTICATED"
        assert ask.emulator is not None
        assert not ask.emulator.requests


@pytest.mark.parametrize(
    "line",
    [
        "host: example.com",
        "host: 127.0.0.1.example.com",
        "host: localhost.example.com:80",
        "host: 0.0.0.0",
        "host: me@127.0.0.1",
        "host:",
        "origin: https://example.com",
        "origin: http://localhost:3000",
        "origin: null",
        "sec-fetch-site: cross-site",
    ],
)
@pytest.mark.parametrize("path", [GENERATE, "/healthz", "/metrics"])
async def test_a_foreign_host_or_a_web_page_is_403_even_with_the_key(line: str, path: str) -> None:
    async with gateway_before(Emulator()) as ask:
        heard = await ask(path, hello() if path == GENERATE else None, line)
        assert heard.status == 403
        assert heard.error["status"] == "PERMISSION_DENIED"
        assert not any(name.startswith("access-control") for name in heard.headers)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:99", "[::1]:5", "127.1.2.3"])
async def test_this_machine_by_any_of_its_names_is_served(host: str) -> None:
    async with gateway_before(Emulator()) as ask:
        assert (await ask("/healthz", None, f"host: {host}")).status == 200


async def test_health_and_metrics_need_no_key() -> None:
    async with gateway_before(Emulator()) as ask:
        assert (await ask("/healthz", key="")).json == {"status": "ok", "upstream": "api-key"}
        await ask(STREAM, hello())
        await ask(GENERATE, hello("[[scenario:rate-limit]] hi"))
        heard = await ask("/metrics", key="")
        lines = heard.body.decode().splitlines()
        assert heard.headers["content-type"].startswith("text/plain; version=0.0.4")
        prefix = "groundwire_gateway"
        assert f'{prefix}_requests_total{{operation="streamGenerateContent",status="200"}} 1' in lines
        assert f'{prefix}_requests_total{{operation="generateContent",status="429"}} 1' in lines
        assert f"{prefix}_requests_in_progress 1" in lines
        assert f"{prefix}_request_seconds_count 3" in lines
        assert all(line.startswith(("# HELP ", "# TYPE ", prefix)) for line in lines)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/v1beta",
        "/v1beta/",
        "/v2/models",
        "/v1beta/nonsense",
        "/favicon.ico",
        f"/x/..{GENERATE}",
        f"/v1beta{GENERATE}",
    ],
)
async def test_an_unknown_path_is_a_404_in_json(path: str, kind: str) -> None:
    async with gateway_before(Emulator(), kind) as ask:
        heard = await ask(path)
        assert (heard.status, heard.error["status"]) == (404, "NOT_FOUND")
        assert "/v1beta/models" in heard.error["message"]
        assert ask.emulator is not None
        assert not ask.emulator.requests


async def test_a_request_to_a_proxy_changes_nothing_but_whose_host_counts(kind: str) -> None:
    async with gateway_before(Emulator(), kind) as ask:
        heard = await ask(f"http://127.0.0.1:1{GENERATE}", hello())
        assert text_of([heard.json]) == "You said: hello"
        assert (await ask(f"http://other.example{GENERATE}", hello())).status == 403


async def test_a_compressed_body_is_refused_with_what_to_do(kind: str) -> None:
    async with gateway_before(Emulator(), kind) as ask:
        heard = await ask(GENERATE, b"\x1f\x8b", "content-encoding: gzip")
        assert heard.status == 415
        assert "without content-encoding" in heard.error["message"]
        assert (await ask(GENERATE, hello(), "content-encoding: identity")).status == 200


@pytest.mark.parametrize("path", ["/v1beta/models", "/v1beta/models/gemini-2.5-flash"])
async def test_models_are_read_and_their_heads_too(path: str, kind: str) -> None:
    async with gateway_before(Emulator(), kind) as ask:
        whole = await ask(path)
        client = await Client.to(ask.gateway.base_url)
        key = f"x-goog-api-key: {KEY}"
        client.send(get(path, key).replace(b"GET", b"HEAD") + get("/healthz", key))
        async with asyncio.timeout(20):
            head = await client.hear_head()
        assert (head.status, head.headers["content-length"]) == (200, str(len(whole.body)))
        assert (await client.hear()).json["status"] == "ok"
        await client.close()
        wrong = await ask(path, {})
        assert (wrong.status, wrong.headers["allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/upload/v1beta/files"),
        ("POST", "/v1beta/models/gemini-embedding-001:embedContent"),
        ("POST", "/v1beta/models/gemini-embedding-001:batchEmbedContents"),
        ("GET", "/v1beta/files"),
        ("POST", "/v1beta/cachedContents"),
    ],
)
@pytest.mark.parametrize(("kind", "title"), [("code-assist", "Code Assist"), ("vertex", "Vertex AI")])
async def test_what_an_upstream_cannot_do_is_a_501_in_json(
    method: str, path: str, kind: str, title: str
) -> None:
    async with gateway_before(Emulator(), kind) as ask:
        heard = await ask(path, hello() if method == "POST" else None)
        assert (heard.status, heard.error["status"]) == (501, "UNIMPLEMENTED")
        assert title in heard.error["message"]
        assert ask.emulator is not None
        assert not ask.emulator.requests


async def test_with_an_api_key_the_rest_of_the_gemini_api_is_passed_on() -> None:
    seen: list[bytes] = []

    async def visit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head, body = await read_request(reader)
        seen.append(head + body)
        writer.write(answer(b'{"embedding":{}}', "200 OK", "x-goog-upload-status: active", "set-cookie: a=b"))

    async with gateway_to(visit) as ask:
        heard = await ask(f"/upload/v1beta/files?key={KEY}&x=1", {"a": 1}, "X-Goog-Upload-Command: start")
        assert heard.json == {"embedding": {}}
        assert heard.headers["x-goog-upload-status"] == "active"
        assert "set-cookie" not in heard.headers
    assert seen[0].startswith(b"POST /upload/v1beta/files?x=1 HTTP/1.1")
    assert b"x-goog-upload-command: start" in seen[0]
    assert KEY.encode() not in seen[0]


async def test_a_method_is_called_with_post() -> None:
    async with gateway_before(Emulator()) as ask:
        heard = await ask(GENERATE)
        assert (heard.status, heard.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"x"', b"\xff"])
async def test_a_body_that_is_no_request_is_a_400(body: bytes, kind: str) -> None:
    async with gateway_before(Emulator(), kind) as ask:
        for path in (GENERATE, STREAM):
            heard = await ask(path, body)
            assert heard.status == 400
            assert heard.error["message"]


async def test_a_body_of_twenty_megabytes_passes_and_a_larger_one_is_413(kind: str) -> None:
    sizes: list[int] = []

    async def visit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _, body = await read_request(reader)
        sizes.append(len(body))
        writer.write(answer(b'{"candidates":[{"finishReason":"STOP"}]}'))

    room = 20 * 1024 * 1024 - 50
    async with gateway_to(visit, kind) as ask:
        assert (await ask(GENERATE, b'{"contents":[],"x":"' + b"x" * room + b'"}')).status == 200
        assert sizes[0] > room
        heard = await ask(GENERATE, b'{"contents":[],"x":"' + b"x" * (room + 50) + b'"}')
        assert heard.status == 413
        assert "20 MB" in heard.error["message"]


async def test_a_client_that_leaves_in_the_middle_of_a_stream_ends_the_upstreams_work_at_once(
    kind: str,
) -> None:
    left = asyncio.Event()
    event = b'data: {"candidates":[{"content":{"parts":[{"text":"x"}]}}]}\r\n\r\n'

    async def visit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + chunked(event, end=False))
        try:
            await reader.read()
        finally:
            left.set()

    async with gateway_to(visit, kind) as ask:
        client = await Client.to(ask.gateway.base_url)
        client.send(post(STREAM, b'{"contents":[]}', f"x-goog-api-key: {KEY}"))
        assert (await client.hear_head()).status == 200
        await client.close()
        async with asyncio.timeout(20):
            await left.wait()
        await until(lambda: ask.gateway.service.metrics.clients_gone)
        counted = ask.gateway.service.metrics
        assert (counted.streams_open, counted.in_progress) == (0, 0)


async def test_a_client_that_leaves_before_the_answer_ends_the_upstreams_work_at_once(kind: str) -> None:
    asked, left = asyncio.Event(), asyncio.Event()

    async def visit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        asked.set()
        try:
            await reader.read()
        finally:
            left.set()

    async with gateway_to(visit, kind) as ask:
        client = await Client.to(ask.gateway.base_url)
        client.send(post(GENERATE, b'{"contents":[]}', f"x-goog-api-key: {KEY}"))
        async with asyncio.timeout(20):
            await asked.wait()
            await client.close()
            await left.wait()


async def test_an_upstream_that_cannot_be_reached_is_a_502_that_says_so() -> None:
    emulator = Emulator()
    async with gateway_before(emulator) as ask:
        await emulator.__aexit__(None, None, None)
        heard = await ask(GENERATE, hello())
        assert (heard.status, heard.error["status"]) == (502, "UNAVAILABLE")
        assert "Could not connect" in heard.error["message"]


async def test_the_debug_log_shows_everything_but_secrets(kind: str) -> None:
    shown: list[str] = []
    async with gateway_before(Emulator(), kind, debug=DebugLog(shown.append)) as ask:
        await ask(f"{GENERATE}?key={KEY}", hello(), f"authorization: Bearer {REAL_TOKEN}")
        await ask(STREAM, hello(f"my token is {REAL_TOKEN}"))
    log = "".join(shown)
    assert "> POST /v1beta/models/gemini-2.5-flash:generateContent?key=[hidden]" in log
    assert "> authorization: [hidden]" in log
    assert "You said" in log
    assert KEY not in log
    assert REAL_TOKEN not in log
    assert REAL_KEY not in log


async def test_several_requests_on_one_connection_are_each_judged() -> None:
    async with gateway_before(Emulator()) as ask:
        client = await Client.to(ask.gateway.base_url)
        client.send(get("/healthz") + get("/v1beta/models") + get("/healthz", "host: evil.example"))
        assert [(await client.hear()).status for _ in range(3)] == [200, 401, 403]
        client.send(post(ARRAY, b"{}", f"x-goog-api-key: {KEY}") + get("/healthz"))
        assert [(await client.hear()).status for _ in range(2)] == [400, 200]
        await client.close()
