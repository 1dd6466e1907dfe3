"""The same tools over streamable HTTP for programs of this machine, on the official SDK (extra `mcp-http`).

    no key, or another                 401
    a Host that is not this server     421   a page whose name was pointed at 127.0.0.1 (DNS rebinding)
    an Origin that is not this server  403   a web page

The SDK speaks the protocol, in all its versions; here are the tools, the key, and the socket.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any

from groundwire.errors import UsageError
from groundwire.mcp.async_calls import AsyncCalls
from groundwire.mcp.declarations import Offer, instructions, offered
from groundwire.mcp.protocol import INVALID_PARAMS
from groundwire.mcp.shapes import outcome_in, tool_in
from groundwire.mcp.stdio import MOST_BYTES, PROGRESS_SECONDS
from groundwire.secret import Secret
from groundwire.serving import serving, when_told_to_stop
from groundwire.version import __version__

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel.server import Server
    from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams

HOST = "127.0.0.1"
PATH = "/mcp"

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Any, Send], Awaitable[None]]
Sleep = Callable[[float], Awaitable[None]]


def application(offer: Offer, key: Secret, *, port: int, sleep: Sleep = asyncio.sleep) -> Application:
    """The ASGI application of a server on `port`."""
    from mcp.server.transport_security import TransportSecuritySettings  # noqa: PLC0415  (an extra)

    names = [f"{host}:{port}" for host in (HOST, "localhost", "[::1]")]
    app = tool_server(offer, sleep).streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=MOST_BYTES,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=names,
            allowed_origins=[f"http://{name}" for name in names],
        ),
    )
    return behind_key(app, key)


def require_sdk() -> None:
    """Say how to install the SDK where it is missing."""
    try:
        import mcp  # noqa: F401, PLC0415  (an extra)
    except ImportError:
        raise UsageError(
            "Serving MCP over HTTP needs the official SDK, which is not installed.",
            hint="Install it with: pip install 'groundwire[mcp-http]'",
        ) from None


def tool_server(offer: Offer, sleep: Sleep = asyncio.sleep) -> Server[AsyncCalls]:
    """The tools of an offer on the SDK, without a wire."""
    from mcp.server.lowlevel.server import Server  # noqa: PLC0415  (an extra)
    from mcp.shared.exceptions import MCPError  # noqa: PLC0415
    from mcp.types import CallToolResult, ListToolsResult  # noqa: PLC0415

    tools = offered(offer)
    declared = {tool["name"]: tool for tool in tools.declared}

    @contextlib.asynccontextmanager
    async def at_work(_: Server[AsyncCalls]) -> AsyncIterator[AsyncCalls]:
        calls = AsyncCalls(offer, tools)
        try:
            yield calls
        finally:
            await calls.close()

    async def list_tools(
        context: ServerRequestContext[AsyncCalls], _: PaginatedRequestParams | None
    ) -> ListToolsResult:
        told = [tool_in(tool, context.protocol_version) for tool in declared.values()]
        return ListToolsResult.model_validate({"tools": told})

    async def call_tool(
        context: ServerRequestContext[AsyncCalls], params: CallToolRequestParams
    ) -> CallToolResult:
        if params.name not in declared:
            known = ", ".join(declared)
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {params.name}. The tools are: {known}.")
        async with _progress(context, sleep):
            outcome = await context.lifespan_context.call(params.name, params.arguments or {})
        return CallToolResult.model_validate(outcome_in(outcome, context.protocol_version))

    return Server(
        "groundwire",
        version=__version__,
        instructions=instructions(offer),
        lifespan=at_work,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


@contextlib.asynccontextmanager
async def _progress(context: ServerRequestContext[AsyncCalls], sleep: Sleep) -> AsyncIterator[None]:
    """Signs of life while the block runs, for a client that asked for them."""

    async def tell() -> None:
        told = 0
        while True:
            await sleep(PROGRESS_SECONDS)
            told += 1
            await context.session.report_progress(told, message="Still at work.")

    telling = asyncio.create_task(tell())
    try:
        yield
    finally:
        telling.cancel()


def behind_key(app: Application, key: Secret) -> Application:
    """The application for those who send the key as `Authorization: Bearer`."""

    async def guarded(scope: Scope, receive: Any, send: Send) -> None:
        if scope["type"] != "http" or _key_in(scope) == key:
            await app(scope, receive, send)
            return
        error = {
            "code": -32001,
            "message": "The key is missing or wrong. Send it as: Authorization: Bearer KEY",
        }
        body = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
        headers = [(b"content-type", b"application/json"), (b"www-authenticate", b"Bearer")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return guarded


def _key_in(scope: Scope) -> Secret:
    given = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
    kind, _, token = given.decode("latin-1").partition(" ")
    return Secret(token.strip() if kind.lower() == "bearer" else "")


async def serve(app: Application, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Answer until Ctrl-C or a polite request to end. `ready` is called once both are heard."""
    stopped = asyncio.Event()
    when_told_to_stop(stopped.set)
    async with serving(app, listener, lifespan=True):
        ready()
        await stopped.wait()
