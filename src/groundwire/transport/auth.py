"""The layer that signs requests: adds a credential's headers, and after a 401 renews it and tries once more.

What a header looks like and how it is renewed is the Authorizer's business; ApiKey is the simplest one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from groundwire.secret import Secret
from groundwire.transport.base import Request, Response, Transport

Headers = Mapping[str, str | Secret]


class Authorizer(Protocol):
    """Gives the headers that prove who asks."""

    async def headers(self) -> Headers:
        """The headers to send now; may renew a token that is about to expire."""
        ...

    async def renew(self, refused: Headers) -> bool:
        """Called when a server answered 401 to `refused`. True: `headers` now gives others, try again.

        The refused headers are given because many requests can be refused at once: only the first of them
        needs a new token, the others find that theirs was replaced meanwhile.
        """
        ...


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key in one header, e.g. `x-goog-api-key: K` or `Authorization: Bearer K`. It cannot be renewed."""

    key: Secret
    header: str = "Authorization"
    scheme: str = ""

    async def headers(self) -> Headers:
        """The one header."""
        return {self.header: Secret(f"{self.scheme} {self.key.reveal()}") if self.scheme else self.key}

    async def renew(self, refused: Headers) -> bool:
        """Never: a refused key stays refused."""
        return False


@dataclass(frozen=True, slots=True)
class Auth:
    """Sends every request with the authorizer's headers."""

    inner: Transport
    authorizer: Authorizer

    async def send(self, request: Request) -> Response:
        """Send signed; on a 401 renew the credential and send exactly once more."""
        headers = await self.authorizer.headers()
        response = await self.inner.send(_signed(request, headers))
        if response.status != 401:
            return response
        try:
            renewed = await self.authorizer.renew(headers)
        except BaseException:
            await response.close()
            raise
        if not renewed:
            return response
        await response.close()
        return await self.inner.send(_signed(request, await self.authorizer.headers()))


def _signed(request: Request, headers: Headers) -> Request:
    """The request with these headers in place of its own of the same name, however those are written."""
    taken = {name.lower() for name in headers}
    kept = {name: value for name, value in request.headers.items() if name.lower() not in taken}
    return replace(request, headers={**kept, **headers})
