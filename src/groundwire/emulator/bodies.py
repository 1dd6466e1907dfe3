"""Request bodies: read within a limit, and undo their content encoding within the same limit.

A body over the limit is read to its end (up to a second limit) but not kept, so that the client
finishes sending and gets to see the 413.
"""

from __future__ import annotations

import zlib
from collections.abc import Awaitable, Callable, MutableMapping
from io import BytesIO
from typing import Any

from groundwire.emulator.routing import Rejected

MAX_BODY = 20 * 1024 * 1024
MAX_DISCARDED = 200 * 1024 * 1024


def _too_large() -> Rejected:
    return Rejected("body too large", 413)


def _bad_encoding(detail: str) -> Rejected:
    return Rejected("malformed body", 400, detail)


async def read_body(
    receive: Callable[[], Awaitable[MutableMapping[str, Any]]], limit: int = MAX_BODY
) -> bytes:
    """The whole body, or Rejected; a client that leaves early gives what came until then."""
    message = await receive()
    body: bytes = message.get("body", b"")
    if not message.get("more_body"):
        if len(body) > limit:
            raise _too_large()
        return body
    kept = bytearray(body)
    seen = len(kept)
    more = True
    while more:
        message = await receive()
        piece = message.get("body", b"")
        more = message.get("more_body", False)
        seen += len(piece)
        if seen <= limit:
            kept += piece
        elif seen > MAX_DISCARDED:
            break
        else:
            kept.clear()
    if seen > limit:
        raise _too_large()
    return bytes(kept)


def decoded(body: bytes, encoding: str, limit: int = MAX_BODY) -> bytes:
    """The body without its content encoding: gzip, deflate or zstd."""
    encoding = encoding.strip().lower()
    if encoding in ("", "identity"):
        return body
    if encoding in ("gzip", "deflate"):
        return _inflated(body, 47 if encoding == "gzip" else 15, limit)
    if encoding == "zstd":
        return _unpacked_zstd(body, limit)
    raise _bad_encoding(f"unknown content encoding {encoding!r}")


def _inflated(body: bytes, window: int, limit: int) -> bytes:
    stream = zlib.decompressobj(window)
    try:
        plain = stream.decompress(body, limit + 1)
    except zlib.error as error:
        raise _bad_encoding(str(error)) from error
    if len(plain) > limit:
        raise _too_large()
    return plain


def _unpacked_zstd(body: bytes, limit: int) -> bytes:
    try:
        import zstandard  # noqa: PLC0415  (an extra: only the real Codex CLI compresses its requests)
    except ImportError as error:
        raise _bad_encoding("zstd needs an extra: pip install 'groundwire[emulator]'") from error
    try:
        with zstandard.ZstdDecompressor().stream_reader(BytesIO(body)) as reader:
            plain: bytes = reader.read(limit + 1)
    except zstandard.ZstdError as error:
        raise _bad_encoding(str(error)) from error
    if len(plain) > limit:
        raise _too_large()
    return plain
