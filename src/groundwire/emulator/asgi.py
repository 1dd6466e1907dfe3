"""The ASGI application: reads a request into a Call, asks the APIs, writes the Reply.

The only module that speaks ASGI. It reads at most 20 MB into memory (the rest is discarded as it
comes), undoes content encodings, chooses the scenarios, and waits where a Reply says so. A Reply
with `cut` ends by returning without the final body message: a server then drops the connection, and
an in-process caller sees the application return early.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, unquote

import msgspec

from groundwire.emulator.bodies import BadEncoding, TooLarge, decoded, read_body
from groundwire.emulator.routing import Match, Problem, Route, Router, Trouble
from groundwire.emulator.scenarios import HEADER, MARKER, catalogue, names_in
from groundwire.emulator.wire import Call, Reply, form_fields, json_reply
from groundwire.emulator.world import World
from groundwire.errors import InvalidConfig

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Sleep = Callable[[float], Awaitable[object]]

FORM_TYPE = "application/x-www-form-urlencoded"
_decode = msgspec.json.Decoder().decode


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
        call, reply = await self._answer(scope, receive)
        if self._on_reply is not None:
            self._on_reply(call, reply)
        await self._write(reply, receive, send)

    async def _answer(self, scope: Scope, receive: Receive) -> tuple[Call, Reply]:
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
        }
        prefix, path = _without_scenario(scope["path"])
        match = self._router.find(scope["method"], path)
        call = Call(
            method=scope["method"],
            path=path,
            query=dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)),
            headers=headers,
            captures=match.captures,
            api=match.api.name,
            kind=match.route.kind if match.route else "",
        )
        try:
            body = decoded(await read_body(receive), headers.get("content-encoding", ""))
        except TooLarge:
            self._world.note(call)
            return call, _refused(match, call, "body too large", 413)
        except BadEncoding as error:
            self._world.note(call)
            return call, _refused(match, call, "malformed body", 400, str(error))
        try:
            scenarios = _chosen(headers, prefix, body) or self._world.scenarios
        except InvalidConfig as error:
            self._world.note(call)
            return call, json_reply({"error": {"code": 400, "message": str(error)}}, 400)
        call = replace(call, body=body, scenarios=scenarios)
        try:
            return _dispatch(match, call, self._world)
        except RecursionError:
            self._world.note(call)
            return call, _refused(match, call, "malformed body", 400, "It is nested too deeply.")

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


def _dispatch(match: Match, call: Call, world: World) -> tuple[Call, Reply]:
    """Parse the body as the route wants it, let the scenarios and the handler answer."""
    route = match.route
    if route is None:
        world.note(call)
        trouble: Trouble = "wrong method" if match.wrong_method else "unknown path"
        return call, _refused(match, call, trouble, 405 if match.wrong_method else 404)
    try:
        call = _parsed(call, route)
    except _WrongType:
        world.note(call)
        return call, _refused(match, call, "wrong content type", 415, call.media_type)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        world.note(call)
        return call, _refused(match, call, "malformed body", 400, str(error))
    world.note(call)
    playing = [catalogue()[name] for name in call.scenarios]
    playing = [scenario for scenario in playing if scenario.touches(call)]
    for scenario in playing:
        if scenario.before is not None and (reply := scenario.before(call, world)) is not None:
            return call, reply
    reply = route.handler(call, world)
    for scenario in playing:
        if scenario.after is not None:
            reply = scenario.after(call, world, reply)
    return call, reply


class _WrongType(Exception):
    """The body is of a type the route does not take."""


def _parsed(call: Call, route: Route) -> Call:
    if route.takes == "nothing":
        return call
    kind = call.media_type
    if "form" in route.takes and kind in (FORM_TYPE, ""):
        return replace(call, form=form_fields(call.body))
    if "json" in route.takes and (kind in ("application/json", "") or kind.endswith("+json")):
        return replace(call, json=_decode(call.body) if call.body.strip() else None)
    if not call.body:
        return call
    raise _WrongType


def _refused(match: Match, call: Call, trouble: Trouble, status: int, detail: str = "") -> Reply:
    return match.api.refuse(Problem(trouble, status, call.path, call.method, detail))


def _without_scenario(path: str) -> tuple[str, str]:
    """The scenario names at the front of a path (`/~a+b/v1/models`), and the path without them."""
    if not path.startswith("/~"):
        return "", path
    names, _, rest = path[2:].partition("/")
    return unquote(names), f"/{rest}"


def _chosen(headers: MutableMapping[str, str], prefix: str, body: bytes) -> tuple[str, ...]:
    if HEADER in headers:
        return names_in(headers[HEADER])
    if prefix:
        return names_in(prefix)
    if b"[[scenario:" in body:
        found = MARKER.findall(body)
        return names_in(found[-1].decode("ascii")) if found else ()
    return ()


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _acknowledge_lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
