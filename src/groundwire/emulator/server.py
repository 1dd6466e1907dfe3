"""The emulator on a socket (uvicorn) or mounted in process, as one async context manager."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

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
from groundwire.errors import ScriptNotFollowed
from groundwire.serving import listening, serving


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
        self._served = AsyncExitStack()

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
        listener = listening(self._host, self._port, "The emulator")
        port = listener.getsockname()[1]
        host = f"[{self._host}]" if ":" in self._host else self._host
        self.world.base_url = f"http://{host}:{port}"
        await self._served.enter_async_context(serving(self.app, listener))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._served.aclose()
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
