"""A server on 127.0.0.1 that waits for the browser to bring back the code of one sign-in.

Only a GET of the callback's path with the right `state` counts. Everything else (a favicon, a reload of an
old page, somebody's scanner) gets a page saying so, and the waiting goes on. The browser gets its page at the
end, when it is known whether the code was worth anything.
"""

from __future__ import annotations

import asyncio
import hmac
import socket
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from contextlib import AsyncExitStack, suppress
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qsl

from groundwire.credentials.login_page import HEADERS, not_ours, not_signed_in
from groundwire.credentials.server_words import plain
from groundwire.errors import InvalidConfig, SignInFailed
from groundwire.serving import listening, serving

Message = MutableMapping[str, Any]

HOST = "127.0.0.1"
_PAGE_PATIENCE = 60.0


class CallbackServer:
    """Serves while the block lasts: send a person to a page that redirects to `redirect_uri`, await `code`,
    and `show` the browser how it ended."""

    def __init__(self, path: str, state: str, ports: Sequence[int] = (0,)) -> None:
        """`ports` are tried in order; 0 is any free one."""
        self._path, self._state, self._ports = path, state, ports
        self._code: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._page: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._port = 0
        self._served = AsyncExitStack()

    @property
    def redirect_uri(self) -> str:
        """Where the browser must be sent."""
        return f"http://{HOST}:{self._port}{self._path}"

    async def code(self, patience: float) -> str:
        """The code, when a person has consented; SignInFailed when they refused or it took too long."""
        try:
            return await asyncio.wait_for(asyncio.shield(self._code), patience)
        except TimeoutError:
            raise SignInFailed(f"Nobody signed in within {patience / 60:.0f} minutes.") from None

    def show(self, page: str) -> None:
        """What the browser that brought the code gets to see."""
        if not self._page.done():
            self._page.set_result(page)

    async def __aenter__(self) -> Self:
        listener = _listening(self._ports)
        self._port = listener.getsockname()[1]
        await self._served.enter_async_context(serving(self._serve, listener, grace_seconds=3))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.show(not_signed_in("The sign-in was given up in the terminal."))
        await self._served.aclose()
        if self._code.done() and not self._code.cancelled():
            self._code.exception()  # looked at, also when nobody waited for it
        self._code.cancel()

    async def _serve(
        self,
        scope: Message,
        receive: Callable[[], Awaitable[Message]],
        send: Callable[[Message], Awaitable[None]],
    ) -> None:
        """The ASGI application."""
        status, page = await self._answer(scope["method"], scope["path"], scope["query_string"])
        body = page.encode("utf-8")
        headers = [*HEADERS, ("content-length", str(len(body))), ("connection", "close")]
        encoded = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        await send({"type": "http.response.start", "status": status, "headers": encoded})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})

    async def _answer(self, method: str, path: str, query: bytes) -> tuple[int, str]:
        if path != self._path:
            return 404, not_ours()
        if method != "GET":
            return 405, not_ours()
        given = dict(parse_qsl(query.decode("latin-1")))
        if not hmac.compare_digest(given.get("state", "").encode(), self._state.encode()):
            return 400, not_ours()
        if given.get("error"):
            reason = _refusal(given)
            if not self._code.done():
                self._code.set_exception(SignInFailed(reason))
            return 200, not_signed_in(reason)
        if not given.get("code"):
            return 400, not_ours()
        if not self._code.done():
            self._code.set_result(given["code"])
        try:
            return 200, await asyncio.wait_for(asyncio.shield(self._page), _PAGE_PATIENCE)
        except TimeoutError:
            return 504, not_signed_in("It took too long to finish.")


def _refusal(given: dict[str, str]) -> str:
    if given["error"] == "access_denied":
        return "The sign-in was refused on the page."
    described = plain(given.get("error_description")) or plain(given["error"])
    return f"The sign-in page answered with an error: {described}."


def _listening(ports: Sequence[int]) -> socket.socket:
    for port in ports:
        with suppress(InvalidConfig):
            return listening(HOST, port, "The sign-in")
    tried = ", ".join(map(str, ports))
    raise SignInFailed(
        f"The answer cannot be taken on this machine: port {tried} is in use.",
        hint="End the other sign-in that is waiting there, or sign in with --no-browser.",
    )
