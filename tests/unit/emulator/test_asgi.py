"""Bad input at the door: unknown paths, wrong methods, broken and oversized bodies, encodings."""

from __future__ import annotations

import gzip
from typing import Any

import msgspec
import pytest
import zstandard

from groundwire.emulator.bodies import MAX_BODY, decoded, read_body
from groundwire.emulator.routing import Rejected

PATH = "/v1beta/models/gemini-2.5-flash:generateContent"


@pytest.mark.parametrize(
    "path", ["/v1beta/nothing", "/v1beta/models/gemini-2.5-flash:nothing", "/v1internal:nothing"]
)
async def test_an_unknown_path_is_404_in_googles_form(ask: Any, path: str) -> None:
    heard = await ask("POST", path, {})
    assert (heard.status, heard.json["error"]["status"]) == (404, "NOT_FOUND")


async def test_a_path_of_nobody_is_404(ask: Any) -> None:
    heard = await ask("GET", "/favicon.ico")
    assert heard.status == 404
    assert "/favicon.ico" in heard.json["error"]


async def test_the_wrong_method_is_405(ask: Any) -> None:
    heard = await ask("GET", PATH)
    assert heard.status == 405
    assert "http method is not allowed" in heard.json["error"]["message"]


@pytest.mark.parametrize("body", [b"{", b"[1,", b"nonsense", b'{"a": "\xff"}', b'{"a": 1}}'])
async def test_a_malformed_body_is_400(ask: Any, body: bytes) -> None:
    heard = await ask("POST", PATH, body=body)
    assert heard.status == 400
    assert heard.json["error"]["message"].startswith("Invalid JSON payload received.")


@pytest.mark.parametrize("body", [b"null", b"[]", b'"text"', b"5", b""])
async def test_a_body_that_is_no_object_is_refused(ask: Any, body: bytes) -> None:
    assert (await ask("POST", PATH, body=body)).status == 400


async def test_the_wrong_content_type_is_refused(ask: Any) -> None:
    heard = await ask("POST", PATH, {"contents": []}, headers={"content-type": "text/plain"})
    assert heard.status == 400
    assert "application/json" in heard.json["error"]["message"]


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
async def test_a_compressed_body_is_read(ask: Any, user: Any, encoding: str) -> None:
    plain = msgspec.json.encode(user("hello"))
    packed = gzip.compress(plain) if encoding == "gzip" else zstandard.ZstdCompressor().compress(plain)
    heard = await ask("POST", PATH, body=packed, headers={"content-encoding": encoding})
    assert heard.status == 200
    assert ask.emulator.requests[0].json == user("hello")


@pytest.mark.parametrize(("encoding", "body"), [("gzip", b"not gzip"), ("zstd", b"not zstd"), ("br", b"x")])
async def test_a_badly_compressed_body_is_400(ask: Any, encoding: str, body: bytes) -> None:
    assert (await ask("POST", PATH, body=body, headers={"content-encoding": encoding})).status == 400


async def test_a_body_over_the_limit_is_413(ask: Any) -> None:
    heard = await ask("POST", PATH, body=b'"' + b"x" * MAX_BODY + b'"')
    assert (heard.status, heard.json["error"]["code"]) == (413, 413)
    assert ask.emulator.requests[0].body == b""


def test_a_small_body_that_grows_too_large_is_refused() -> None:
    with pytest.raises(Rejected, match="body too large"):
        decoded(gzip.compress(b"x" * 5000), "gzip", limit=1000)
    with pytest.raises(Rejected, match="body too large"):
        decoded(zstandard.ZstdCompressor().compress(b"x" * 5000), "zstd", limit=1000)


async def test_an_oversized_body_is_discarded_as_it_comes() -> None:
    pieces = [{"body": b"x" * 600, "more_body": True}] * 3 + [{"body": b"", "more_body": False}]
    given = iter(pieces)

    async def receive() -> Any:
        return next(given)

    with pytest.raises(Rejected, match="body too large"):
        await read_body(receive, limit=1000)
    assert next(given, None) is None


async def test_a_body_in_pieces_is_put_together() -> None:
    given = iter([{"body": b"a", "more_body": True}, {"body": b"b", "more_body": False}])

    async def receive() -> Any:
        return next(given)

    assert await read_body(receive) == b"ab"


async def test_the_lifespan_of_a_server_is_acknowledged(ask: Any) -> None:
    given = iter([{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}])
    sent = []

    async def receive() -> Any:
        return next(given)

    async def send(message: Any) -> None:
        sent.append(message["type"])

    await ask.emulator.app({"type": "lifespan"}, receive, send)
    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


async def test_a_person_with_a_browser_is_told_what_this_is(ask: Any) -> None:
    heard = await ask("GET", "/")
    assert heard.headers["content-type"].startswith("text/plain")
    assert "code-assist    /v1internal" in heard.body.decode()
