"""The ASGI application: reads a request, has it answered, writes the Reply.

The only module that speaks ASGI. It reads at most 20 MB into memory (the rest is discarded as it
comes), undoes content encodings, and waits where a Reply says so. A Reply with `cut` ends by
returning without the final body message: a server then drops the connection, and an in-process
caller sees the application return early.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from groundwire.emulator.answering import RawRequest, answer
from groundwire.emulator.bodies import decoded, read_body
from groundwire.emulator.routing import Rejected, Router
from groundwire.emulator.wire import Call, Reply
from groundwire.emulator.world import World

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Sleep = Callable[[float], Awaitable[object]]


class Application:
    """An ASGI application over a router and a world."""

    def __init__(
        self,
        router: Router,
        world: World,
        *,
        sleep: Sleep = asyncio.sleep,
        on_reply: Callable[[Call, Reply], None] | None = None,
    ) -> None:
        self._router = router
        self._world = world
        self._sleep = sleep
        self._on_reply = on_reply

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request (or acknowledge the server's lifespan messages)."""
        if scope["type"] == "lifespan":
            await _acknowledge_lifespan(receive, send)
            return
        if scope["type"] != "http":
            return
        answered = answer(await _received(scope, receive), self._router, self._world)
        if self._on_reply is not None:
            self._on_reply(answered.call, answered.reply)
        await self._write(answered.reply, receive, send)

    async def _write(self, reply: Reply, receive: Receive, send: Send) -> None:
        if reply.wait:
            await self._sleep(reply.wait)
        headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in reply.headers]
        if reply.chunks is None and not reply.cut:
            headers.append((b"content-length", str(len(reply.body)).encode()))
        await send({"type": "http.response.start", "status": reply.status, "headers": headers})
        if reply.chunks is None:
            await send({"type": "http.response.body", "body": reply.body, "more_body": reply.cut})
            return
        await self._stream(reply, receive, send)

    async def _stream(self, reply: Reply, receive: Receive, send: Send) -> None:
        gone: asyncio.Task[None] | None = None
        try:
            for chunk in reply.chunks or ():
                if chunk.wait:
                    gone = gone or asyncio.create_task(_disconnected(receive))
                    await self._sleep(chunk.wait)
                    if gone.done():
                        return
                await send({"type": "http.response.body", "body": chunk.data, "more_body": True})
            if not reply.cut:
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            if gone is not None:
                gone.cancel()


async def _received(scope: Scope, receive: Receive) -> RawRequest:
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
    body: bytes | Rejected
    try:
        body = decoded(await read_body(receive), headers.get("content-encoding", ""))
    except Rejected as rejected:
        body = rejected
    return RawRequest(scope["method"], scope["path"], scope["query_string"].decode("latin-1"), headers, body)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _acknowledge_lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
