"""The vocabulary of the wire: Request, Response, Transport.

Every layer (http, retry, auth, code_assist) has the one verb `send`, so layers stack and are never
unwrapped. A Response's body is a stream of byte chunks that can be read once; `read` gathers it
within a limit. Closing a response closes its connection when the body was not read to the end.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Protocol, Self

from groundwire.errors import BodyTooLarge
from groundwire.secret import Secret

MAX_BODY_BYTES = 20 * 1024 * 1024
"""The largest answer we hold in memory."""


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request that can be printed: a credential in a header is a Secret, and bodies (a refresh
    token stands in one) are not shown."""

    method: str
    url: str
    headers: Mapping[str, str | Secret] = field(default_factory=dict)
    body: bytes = field(default=b"", repr=False)


async def _close_nothing() -> None:
    return None


@dataclass(slots=True)
class Response:
    """A status, headers (names in lower case) and a body that arrives in chunks."""

    status: int
    headers: Mapping[str, str]
    chunks: AsyncIterator[bytes]
    close: Callable[[], Awaitable[None]] = _close_nothing

    async def read(self, limit: int = MAX_BODY_BYTES) -> bytes:
        """The whole body, or BodyTooLarge when it is longer than `limit` bytes."""
        gathered = bytearray()
        async for chunk in self.chunks:
            gathered += chunk
            if len(gathered) > limit:
                await self.close()
                raise BodyTooLarge(f"The answer is larger than {limit // (1024 * 1024)} MB.")
        return bytes(gathered)

    @property
    def content_type(self) -> str:
        """The media type alone, in lower case: `text/html; charset=x` gives `text/html`."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class Transport(Protocol):
    """Anything that can send a request and give back a response."""

    async def send(self, request: Request) -> Response: ...


async def whole(body: bytes) -> AsyncIterator[bytes]:
    """A body that is already here, as the chunks a Response wants."""
    if body:
        yield body
