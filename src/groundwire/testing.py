"""Doubles for tests, ours and yours: transports that answer from a script or from an ASGI app, a model that
replies from a script, and a clock.

They are strict: a request nobody scripted is an error, and so is a scripted answer nobody asked for.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, MutableMapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Self
from urllib.parse import unquote, urlsplit

import msgspec

from groundwire.agent.model import Hear, Prompt
from groundwire.agent.reply import Content, Reply, ReplyReader
from groundwire.errors import GroundwireError, TransportError
from groundwire.secret import Secret
from groundwire.transport.base import Request, Response, whole

AsgiMessage = MutableMapping[str, Any]
AsgiApp = Callable[
    [
        MutableMapping[str, Any],
        Callable[[], Awaitable[AsgiMessage]],
        Callable[[AsgiMessage], Awaitable[None]],
    ],
    Awaitable[None],
]


class UnexpectedRequest(AssertionError):
    """A request was sent that the script does not foresee."""


class UnusedAnswers(AssertionError):
    """The script holds answers that nobody asked for."""


def reply(
    body: bytes | str | dict[str, Any] | Iterable[bytes],
    *,
    status: int = 200,
    content_type: str | None = None,
    headers: dict[str, str] | None = None,
) -> Response:
    """A response: JSON from a dict, text from a string, a stream of chunks from anything iterable."""
    kind, chunks = _encoded(body)
    return Response(status, {"content-type": content_type or kind, **(headers or {})}, chunks)


def _encoded(body: bytes | str | dict[str, Any] | Iterable[bytes]) -> tuple[str, AsyncIterator[bytes]]:
    if isinstance(body, dict):
        return "application/json", whole(msgspec.json.encode(body))
    if isinstance(body, str):
        return "text/plain", whole(body.encode())
    if isinstance(body, bytes):
        return "application/octet-stream", whole(body)
    return "text/event-stream", _each(body)


async def _each(chunks: Iterable[bytes]) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


class ScriptedTransport:
    """Answers requests with the scripted responses, in order. Use as an async context manager to be strict.

    >>> import asyncio
    >>> async def example():
    ...     async with ScriptedTransport([reply({"ok": True})]) as transport:
    ...         response = await transport.send(Request("GET", "https://example.org"))
    ...         return await response.read(), transport.requests[0].url
    >>> asyncio.run(example())
    (b'{"ok":true}', 'https://example.org')
    """

    def __init__(self, answers: Iterable[Response | TransportError]) -> None:
        self._answers = list(answers)
        self.requests: list[Request] = []

    async def send(self, request: Request) -> Response:
        """The next scripted answer; a scripted error is raised."""
        self.requests.append(request)
        if not self._answers:
            raise UnexpectedRequest(f"No answer is left for {request.method} {request.url}")
        answer = self._answers.pop(0)
        if isinstance(answer, GroundwireError):
            raise answer
        return answer

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None and self._answers:
            raise UnusedAnswers(f"{len(self._answers)} scripted answers were never asked for")


def says(text: str, *, finish: str | None = "STOP") -> dict[str, Any]:
    """A Gemini response in which the model says something."""
    return _response([{"text": text}], finish)


def calls(*called: tuple[str, Any], finish: str | None = "STOP") -> dict[str, Any]:
    """A Gemini response in which the model calls functions: pairs of a name and arguments."""
    return _response([{"functionCall": {"name": name, "args": args}} for name, args in called], finish)


def _response(parts: list[dict[str, Any]], finish: str | None) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    return {"candidates": [{**candidate, "finishReason": finish} if finish else candidate]}


class ScriptedModel:
    """A model that replies with the scripted responses, in order. Use as an async context manager to be
    strict.

    Each answer is a response in Gemini's form (`says`, `calls`), a list of them for a streamed one, or an
    error to raise. What the model was given is in `histories` and `prompts`.
    """

    def __init__(
        self, answers: Iterable[object | list[object] | GroundwireError], name: str = "gemini-2.5-flash"
    ) -> None:
        self.name = name
        self._answers = iter(answers)
        self.prompts: list[Prompt] = []
        self.histories: list[list[Content]] = []

    async def reply(self, prompt: Prompt, hear: Hear) -> Reply:
        """The next scripted reply; a scripted error is raised."""
        self.prompts.append(prompt)
        self.histories.append(list(prompt.history))
        answer = next(self._answers, None)
        if answer is None:
            raise UnexpectedRequest(f"No reply is left for turn {len(self.prompts)}")
        if isinstance(answer, GroundwireError):
            raise answer
        reader = ReplyReader()
        for response in answer if isinstance(answer, list) else [answer]:
            if said := reader.add(response):
                hear(said)
        return reader.finish()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        left = sum(1 for _ in self._answers) if error is None else 0
        if left:
            raise UnusedAnswers(f"{left} scripted replies were never asked for")


class ManualClock:
    """A clock that moves only when told, and a `sleep` that moves it."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self.now = now
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Pretend to wait."""
        self.slept.append(seconds)
        self.now += seconds


class AsgiTransport:
    """Sends requests to an ASGI app in this process: a whole server without a socket."""

    def __init__(self, app: AsgiApp) -> None:
        self._app = app

    async def send(self, request: Request) -> Response:
        """Run the app for this request; chunks arrive as the app sends them."""
        messages: asyncio.Queue[AsgiMessage | None] = asyncio.Queue()
        gone = asyncio.Event()
        task = asyncio.create_task(self._run(request, messages, gone))
        start = await messages.get()
        if start is None:
            await task
            raise UnexpectedRequest("the app ended without an answer")

        async def close() -> None:
            gone.set()
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1") for name, value in start["headers"]
        }
        return Response(start["status"], headers, _body(messages, task), close)

    async def _run(
        self, request: Request, messages: asyncio.Queue[AsgiMessage | None], gone: asyncio.Event
    ) -> None:
        sent = False

        async def receive() -> AsgiMessage:
            nonlocal sent
            if not sent:
                sent = True
                return {"type": "http.request", "body": request.body, "more_body": False}
            await gone.wait()
            return {"type": "http.disconnect"}

        try:
            await self._app(_scope(request), receive, messages.put)
        finally:
            messages.put_nowait(None)


async def _body(
    messages: asyncio.Queue[AsgiMessage | None], task: asyncio.Task[None]
) -> AsyncIterator[bytes]:
    while (message := await messages.get()) is not None:
        if message.get("body"):
            yield bytes(message["body"])
        if not message.get("more_body"):
            break
    await task


def _scope(request: Request) -> MutableMapping[str, Any]:
    parts = urlsplit(request.url)
    plain = {
        name: value.reveal() if isinstance(value, Secret) else value
        for name, value in request.headers.items()
    }
    plain.setdefault("host", parts.netloc)
    plain.setdefault("user-agent", "groundwire-testing")
    plain.setdefault("content-length", str(len(request.body)))
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": parts.scheme,
        "path": unquote(parts.path),
        "raw_path": parts.path.encode("ascii"),
        "query_string": parts.query.encode("ascii"),
        "root_path": "",
        "headers": [
            (name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in plain.items()
        ],
        "client": ("127.0.0.1", 1),
        "server": (parts.hostname, parts.port or 80),
    }
