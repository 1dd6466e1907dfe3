"""Serving on this machine: a socket that listens, an ASGI application on it for as long as a block lasts, the
fast event loop, and the signals that end it.

Whose server it is does not matter here: the emulator, the gateway, the MCP server and the page that a sign-in
comes back to are all served with these.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import signal
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator
from typing import TYPE_CHECKING, TypeVar

from groundwire.errors import InvalidConfig

if TYPE_CHECKING:
    import uvicorn

Application = Callable[..., Awaitable[None]]
"""An ASGI application."""

_T = TypeVar("_T")
_ANOTHER_PORT = "Choose another --port (0 takes any free one)."


def listening(host: str, port: int, who: str, *, hint: str = _ANOTHER_PORT) -> socket.socket:
    """A socket that listens on the address; InvalidConfig, in the name of `who`, when there can be none."""
    if not 0 <= port <= 65535:
        raise InvalidConfig(
            f"{who} cannot listen on {host}:{port}: a port is a number up to 65535.", hint=hint
        )
    listener: socket.socket | None = None
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        if os.name != "nt":  # there it would let another program take the port away
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen()
    except OSError as error:
        if listener is not None:
            listener.close()
        elsewhere = isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL
        step = "Name an address of this machine." if elsewhere else hint
        raise _cannot(who, host, port, error.strerror or str(error), step) from error
    return listener


def _cannot(who: str, host: str, port: int, reason: str, hint: str) -> InvalidConfig:
    return InvalidConfig(f"{who} cannot listen on {host}:{port}: {reason}.", hint=hint)


@contextlib.asynccontextmanager
async def serving(
    app: Application, listener: socket.socket, *, lifespan: bool = False, grace_seconds: int = 1
) -> AsyncIterator[None]:
    """The application answers while the block lasts; answers then in progress have the grace to end."""
    server = _quiet(app, lifespan=lifespan, grace_seconds=grace_seconds)
    answering = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        while not server.started:
            if answering.done():
                answering.result()
                raise RuntimeError("the server ended before it had begun")
            await asyncio.sleep(0.001)
        yield
    finally:
        server.should_exit = True
        await answering


def _quiet(app: Application, *, lifespan: bool, grace_seconds: int) -> uvicorn.Server:
    import uvicorn  # noqa: PLC0415  (lazy: only for who serves)

    class QuietServer(uvicorn.Server):
        """A uvicorn server that leaves signals to whoever runs the event loop."""

        @contextlib.contextmanager
        def capture_signals(self) -> Generator[None, None, None]:
            yield

    return QuietServer(
        uvicorn.Config(
            app,
            interface="asgi3",  # uvicorn does not see by itself that a method is one
            http="httptools",
            ws="none",
            lifespan="on" if lifespan else "off",
            log_config=None,
            access_log=False,
            log_level="critical",
            server_header=False,
            timeout_graceful_shutdown=grace_seconds,
        )
    )


def run_fast(main: Coroutine[object, None, _T]) -> _T:
    """`asyncio.run` on uvloop, where that is installed."""
    try:
        import uvloop  # noqa: PLC0415  (lazy: only for who serves)
    except ImportError:  # Windows, PyPy: the standard loop serves as well, only slower
        return asyncio.run(main)
    return uvloop.run(main)


def when_told_to_stop(act: Callable[[], None]) -> None:
    """Call `act` at each Ctrl-C, and at each polite request to end, instead of breaking off."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, act)
        except NotImplementedError:  # Windows has no such handlers for its loop
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(act))
