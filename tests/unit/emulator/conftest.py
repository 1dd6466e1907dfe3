"""An emulator asked in process: no socket, no waiting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import msgspec
import pytest

from groundwire.emulator import Emulator


@dataclass
class Heard:
    """What came back from the application: `ended` is false when the body was cut."""

    status: int
    headers: dict[str, str]
    chunks: list[bytes] = field(default_factory=list)
    ended: bool = False

    @property
    def body(self) -> bytes:
        return b"".join(self.chunks)

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)

    @property
    def events(self) -> list[Any]:
        """The data of each server-sent event."""
        blocks = self.body.replace(b"\r\n", b"\n").split(b"\n\n")
        return [msgspec.json.decode(block.removeprefix(b"data: ")) for block in blocks if block.strip()]


class Asker:
    """An emulator and a way to ask it: requests are awaited, waits are noted in `waits`."""

    def __init__(self, **options: Any) -> None:
        self.waits: list[float] = []
        self.emulator = Emulator(sleep=self._sleep, clock=lambda: 1_800_000_000.0, **options)

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    async def __call__(
        self,
        method: str,
        path: str,
        json: Any = None,
        *,
        form: dict[str, str] | None = None,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> Heard:
        sent, sent_type = _encoded(json, form, body)
        path, _, query = path.partition("?")
        all_headers = {"content-type": sent_type, "x-goog-api-key": "test-key", **(headers or {})}
        heard = Heard(0, {})
        given = iter([{"type": "http.request", "body": sent, "more_body": False}])

        async def receive() -> Any:
            return next(given, {"type": "http.request", "body": b""})

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                heard.status = message["status"]
                heard.headers = {name.decode(): value.decode() for name, value in message["headers"]}
            else:
                heard.chunks.append(message["body"])
                heard.ended = not message.get("more_body", False)

        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": query.encode(),
            "headers": [(k.encode(), v.encode()) for k, v in all_headers.items()],
        }
        await self.emulator.app(scope, receive, send)
        return heard


def _encoded(json: Any, form: dict[str, str] | None, body: bytes | None) -> tuple[bytes, str]:
    if form is not None:
        return urlencode(form).encode(), "application/x-www-form-urlencoded"
    if body is not None:
        return body, "application/json"
    return (msgspec.json.encode(json) if json is not None else b""), "application/json"


@pytest.fixture(scope="session")
def asking() -> Callable[..., Asker]:
    """Makes an emulator that can be asked; options are those of Emulator."""
    return Asker


@pytest.fixture
def ask() -> Asker:
    """A plain emulator that can be asked."""
    return Asker()


def user(text: str, **more: Any) -> dict[str, Any]:
    """A Gemini request with one user text."""
    return {"contents": [{"role": "user", "parts": [{"text": text}]}], **more}


@pytest.fixture(name="user")
def user_fixture() -> Callable[..., dict[str, Any]]:
    """Makes a Gemini request with one user text."""
    return user
