"""Tokens for Application Default Credentials, got by google-auth (the extra `groundwire[vertex]`).

google-auth is loaded when the first token is needed. It asks for tokens through our own transport, so that
proxies, certificates and the addresses in the configuration hold for it as well.
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from groundwire.credentials.adc_files import INSTALL, LOG_IN, AdcPlace, described
from groundwire.credentials.base import Clock
from groundwire.errors import (
    GroundwireError,
    InvalidConfig,
    MissingPackage,
    MissingVertexCredentials,
    SignInExpired,
    TransportError,
)
from groundwire.secret import Secret
from groundwire.transport.auth import Headers
from groundwire.transport.base import Request, Transport

SCOPE = "https://www.googleapis.com/auth/cloud-platform"
GOOGLE_OAUTH = "https://oauth2.googleapis.com"
EARLY_SECONDS = 225.0
"""How long before its end a token is renewed: google-auth's own margin."""


class AdcTokens:
    """Signs requests with the tokens of Application Default Credentials, renewed early and once for all."""

    def __init__(
        self,
        found: AdcPlace,
        *,
        transport: Transport,
        clock: Clock,
        token_server: str = GOOGLE_OAUTH,
    ) -> None:
        """`token_server` stands in for Google's, whatever the file says of that."""
        self._found = found
        self._transport = transport
        self._clock = clock
        self._token_server = token_server
        self._credentials: Any = None
        self._headers: Headers = {}
        self._ends: float | None = 0.0
        self._renewing = asyncio.Lock()

    async def headers(self) -> Headers:
        """The headers to send now; a token near its end is renewed first, by the first who comes."""
        if self._is_ending():
            async with self._renewing:
                if self._is_ending():
                    await self._renew()
        return self._headers

    async def renew(self, refused: Headers) -> bool:
        """A new token for one that was refused, unless somebody got one meanwhile."""
        async with self._renewing:
            if self._headers == refused:
                await self._renew()
        return True

    def _is_ending(self) -> bool:
        return self._ends is not None and self._ends - EARLY_SECONDS <= self._clock()

    async def _renew(self) -> None:
        loop = asyncio.get_running_loop()
        await asyncio.to_thread(self._renew_in_thread, self._asking(loop))

    def _renew_in_thread(self, ask: Callable[..., Any]) -> None:
        """google-auth waits while it asks, so it works in a thread; `ask` gets the answers from our loop."""
        with _translated(self._found):
            if self._credentials is None:
                self._credentials = _loaded(self._found, ask)
            self._credentials.refresh(ask)
        headers: dict[str, str | Secret] = {"Authorization": Secret(f"Bearer {self._credentials.token}")}
        if project := getattr(self._credentials, "quota_project_id", None):
            headers["x-goog-user-project"] = project
        self._headers = headers
        expiry = self._credentials.expiry
        # google-auth counts by the system's clock, in UTC; what is left counts from ours.
        left = None if expiry is None else expiry.replace(tzinfo=UTC) - datetime.now(UTC)
        self._ends = None if left is None else self._clock() + left.total_seconds()

    def _asking(self, loop: asyncio.AbstractEventLoop) -> Callable[..., Any]:
        def ask(
            url: str,
            method: str = "GET",
            body: bytes | str | None = None,
            headers: Mapping[str, str] | None = None,
            timeout: float | None = None,
            **_: Any,
        ) -> _Answer:
            given = body.encode() if isinstance(body, str) else body or b""
            request = Request(method, self._address(url), dict(headers or {}), given)
            return asyncio.run_coroutine_threadsafe(_sent(self._transport, request), loop).result(timeout)

        return ask

    def _address(self, url: str) -> str:
        return self._token_server + url[len(GOOGLE_OAUTH) :] if url.startswith(f"{GOOGLE_OAUTH}/") else url


@dataclass(frozen=True, slots=True)
class _Answer:
    """What google-auth wants of an answer."""

    status: int
    headers: Mapping[str, str]
    data: bytes


async def _sent(transport: Transport, request: Request) -> _Answer:
    async with await transport.send(request) as response:
        return _Answer(response.status, response.headers, await response.read())


def _loaded(found: AdcPlace, ask: Callable[..., Any]) -> Any:
    import google.auth  # noqa: PLC0415  (lazy: an extra)

    if found.path is None:
        from google.auth.compute_engine import Credentials  # noqa: PLC0415  (lazy: it loads `requests`)

        return Credentials(scopes=[SCOPE])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of files from strangers; this one is the user's own
        credentials, _ = google.auth.load_credentials_from_dict(
            described(found.path), scopes=[SCOPE], request=ask
        )
    return credentials


@contextmanager
def _translated(found: AdcPlace) -> Iterator[None]:
    """The border: what google-auth raises leaves as an error of ours."""
    try:
        yield
    except GroundwireError as error:
        if found.path is None and isinstance(error, TransportError):
            raise _nowhere() from error
        raise
    except ModuleNotFoundError as error:
        raise MissingPackage(
            f"Vertex AI needs the package google-auth ({error.name} is missing).",
            hint=f"Install it with: {INSTALL}",
        ) from error
    except Exception as error:
        raise _ours(error, found) from error


def _nowhere() -> MissingVertexCredentials:
    return MissingVertexCredentials(
        "No Application Default Credentials were found, and this machine is not one of Google Cloud."
    )


def _ours(error: Exception, found: AdcPlace) -> GroundwireError:
    from google.auth import exceptions  # noqa: PLC0415  (lazy, as above)

    if found.path is None:
        return _nowhere()
    said = str(error.args[0] if error.args else error).rstrip(".")
    if isinstance(error, exceptions.RefreshError):
        return SignInExpired(
            f"Google gave no token for the credentials in {found.where}: {said}.",
            hint=f"Sign in again with: {LOG_IN}",
        )
    return InvalidConfig(
        f"The credentials in {found.where} cannot be used: {said}.", hint=f"Make new ones with: {LOG_IN}"
    )
