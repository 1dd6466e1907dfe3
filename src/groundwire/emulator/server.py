"""The emulator on a socket (uvicorn) or mounted in process, as one async context manager."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import Awaitable, Callable, Generator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from groundwire.emulator.apis import APIS
from groundwire.emulator.asgi import Application
from groundwire.emulator.clients import environment
from groundwire.emulator.composing import Documents
from groundwire.emulator.corpora import FolderDocuments, documents_from
from groundwire.emulator.routing import Router
from groundwire.emulator.scenarios import names_in
from groundwire.emulator.script import Script, ScriptRun, load_script
from groundwire.emulator.wire import Call, Reply
from groundwire.emulator.world import World
from groundwire.errors import InvalidConfig, ScriptNotFollowed

if TYPE_CHECKING:
    import uvicorn


class Emulator:
    """Every upstream of groundwire, offline.

        async with Emulator(scenario="rate-limit") as emulator:
            ...                        # emulator.base_url, emulator.env(), emulator.requests

    Without `async with`, `Emulator(...).app` is an ASGI application that needs no socket.
    Leaving the block raises ScriptNotFollowed when the script was not followed to its end.
    """

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        corpus: Documents | Path | str | None = None,
        scenario: str | None = None,
        script: Script | Path | str | None = None,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        on_reply: Callable[[Call, Reply], None] | None = None,
        keep: int | None = None,
    ) -> None:
        """Prepare an emulator; nothing is bound yet.

        `corpus` is a folder of documents or anything with `find`; without it the bundled documents
        are searched. `scenario` is a name, or several joined with `+`, played by every request that
        names none. `script` is a Script, a file, or the name of a shipped one. `on_reply` is told
        of every call and its reply. `keep` limits how many requests are remembered.
        """
        loaded = script if script is None or isinstance(script, Script) else load_script(script)
        self.world = World(
            documents=documents_from(corpus),
            clock=clock,
            keep=keep,
            scenarios=names_in(scenario or ""),
            script=ScriptRun(loaded) if loaded else None,
        )
        self.app = Application(Router(APIS), self.world, sleep=sleep, on_reply=on_reply)
        self._host, self._port = host, port
        self._server: uvicorn.Server | None = None
        self._serving: asyncio.Task[None] | None = None

    @property
    def base_url(self) -> str:
        """Where it answers; before it is started, the address an in-process mount should use."""
        return self.world.base_url

    @property
    def requests(self) -> list[Call]:
        """Every request so far, oldest first, with parsed bodies and secrets as they were sent."""
        return self.world.requests

    def env(self) -> dict[str, str]:
        """Environment variables, with fake keys, that point groundwire and others here."""
        return environment(self.world)

    async def __aenter__(self) -> Self:
        listener = _bound(self._host, self._port)
        port = listener.getsockname()[1]
        host = f"[{self._host}]" if ":" in self._host else self._host
        self.world.base_url = f"http://{host}:{port}"
        self._server = _server_for(self.app)
        self._serving = asyncio.create_task(self._server.serve(sockets=[listener]))
        while not self._server.started:
            if self._serving.done():
                self._serving.result()
                raise InvalidConfig(f"The emulator could not start on {self.base_url}.")
            await asyncio.sleep(0.001)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        assert self._serving is not None
        self._server.should_exit = True
        await self._serving
        self.close()
        if kind is None:
            self.check_script()

    def open_documents(self) -> int:
        """Index the document folder now, so that its faults show early; how many documents it has."""
        folder = self.world.documents
        return folder.open().report.documents if isinstance(folder, FolderDocuments) else 0

    def close(self) -> None:
        """Let go of the index of a document folder; `async with` does it at its end."""
        if isinstance(self.world.documents, FolderDocuments):
            self.world.documents.close()

    def check_script(self) -> None:
        """Raise ScriptNotFollowed, with what was unexpected and what is left, unless all went as written."""
        report = self.world.script.report() if self.world.script else ""
        if report:
            raise ScriptNotFollowed(report)


def _bound(host: str, port: int) -> socket.socket:
    listener: socket.socket | None = None
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        if listener is not None:
            listener.close()
        raise InvalidConfig(
            f"The emulator cannot listen on {host}:{port}: {error.strerror or error}.",
            hint="Choose another --port (0 takes any free one).",
        ) from error
    return listener


def _server_for(app: Application) -> uvicorn.Server:
    import uvicorn  # noqa: PLC0415  (only a served emulator needs a server)

    class QuietServer(uvicorn.Server):
        """A uvicorn server that leaves signals to whoever runs the event loop."""

        @contextlib.contextmanager
        def capture_signals(self) -> Generator[None, None, None]:
            yield

    return QuietServer(
        uvicorn.Config(
            app,
            http="httptools",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            log_level="critical",
            server_header=False,
            timeout_graceful_shutdown=1,
        )
    )
