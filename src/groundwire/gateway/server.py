"""The gateway as one async context manager: a socket of this machine, the Service behind it, and its end."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from groundwire.gateway.access import Access
from groundwire.gateway.debug_log import DebugLog
from groundwire.gateway.refusals import refusal
from groundwire.gateway.service import Service
from groundwire.gateway.upstream import Upstream
from groundwire.gateway.wire_server import Limits, Server
from groundwire.secret import Secret
from groundwire.serving import listening

HOST = "127.0.0.1"


class Gateway:
    """A local Gemini endpoint.

        async with Gateway(upstream, key) as gateway:
            ...                                # gateway.base_url

    Leaving the block lets every answer in progress come to its end; `stop_now` does not.
    """

    def __init__(
        self,
        upstream: Upstream,
        key: Secret,
        *,
        port: int = 0,
        limits: Limits | None = None,
        debug: DebugLog | None = None,
    ) -> None:
        """Prepare a gateway; nothing is bound yet."""
        self.upstream = upstream
        self.service = Service(upstream, Access(key), debug=debug)
        self.server = Server(
            self.service, limits=limits, refused=lambda status, trouble: refusal(status, trouble).body
        )
        self.port = port

    @property
    def base_url(self) -> str:
        """Where it answers."""
        return f"http://{HOST}:{self.port}"

    async def __aenter__(self) -> Self:
        listener = listening(HOST, self.port, "The gateway")
        self.port = listener.getsockname()[1]
        await self.server.listen(listener)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.server.stop()

    def stop_now(self) -> None:
        """Break off whatever is in progress."""
        self.server.stop_now()
