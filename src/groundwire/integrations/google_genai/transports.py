"""Transports for `httpx` and `httpx2` that answer requests for the Gemini API with Code Assist.

The two libraries are alike but for their names, so the code is written once, for threads and for event loops,
and gets the base classes of the library it is used with. A transport wraps another (by default the library's
own) and translates what passes through it; see `translation`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from functools import cache
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from groundwire.address import is_loopback
from groundwire.integrations.google_genai.shared_sign_in import SharedSignIn
from groundwire.integrations.google_genai.translation import Impossible, Translation
from groundwire.transport.sse import as_event
from groundwire.transport.unwrapping import EventUnwrapper


def code_assist_transport(library: ModuleType, sign_in: SharedSignIn, inner: Any = None) -> Any:
    """A transport for `library.Client`, where `library` is httpx or httpx2."""
    if inner is None:
        inner = library.HTTPTransport(proxy=proxy_for(sign_in.base_url))
    return _with_base(_ForThreads, library, "BaseTransport")(library, sign_in, inner)


def async_code_assist_transport(library: ModuleType, sign_in: SharedSignIn, inner: Any = None) -> Any:
    """A transport for `library.AsyncClient`, where `library` is httpx or httpx2."""
    if inner is None:
        inner = library.AsyncHTTPTransport(proxy=proxy_for(sign_in.base_url))
    return _with_base(_ForEventLoops, library, "AsyncBaseTransport")(library, sign_in, inner)


def proxy_for(url: str) -> str | None:
    """The proxy that HTTPS_PROXY and NO_PROXY name for an address: clients leave this to their transport."""
    parts = urlsplit(url)
    if is_loopback(url) or proxy_bypass(parts.netloc):
        return None
    proxies = getproxies()
    return proxies.get(parts.scheme) or proxies.get("all")


@cache
def _with_base(kind: type, library: ModuleType, base: str) -> Any:
    """Our class as a class of the library: it looks whether things are its own."""
    return type(kind.__name__.lstrip("_"), (kind, getattr(library, base)), {})


class _ForThreads:
    def __init__(self, library: ModuleType, sign_in: SharedSignIn, inner: Any) -> None:
        self._library = library
        self._sign_in = sign_in
        self._inner = inner

    def handle_request(self, request: Any) -> Any:
        """The answer of Code Assist to a request for the Gemini API."""
        translation = Translation(self._library, request, self._sign_in)
        try:
            call = translation.call()
            project = self._sign_in.project().result() if translation.has_project(call) else ""
            body = translation.body(call, request.read(), project)
        except Impossible as impossible:
            return translation.refusal(impossible)
        response = self._signed(translation, body)
        if not translation.streams(response):
            return translation.whole(response, response.read())
        documents = _documents(response)
        try:
            first = next(documents, [])
        except BaseException:
            response.close()
            raise
        if (failed := translation.failed_at_once(first)) is not None:
            response.close()
            return failed
        stream = _with_base(_Events, self._library, "SyncByteStream")(first, documents, response)
        return translation.stream(response, stream)

    def _signed(self, translation: Translation, body: bytes) -> Any:
        headers = self._sign_in.headers().result()
        response = self._inner.handle_request(translation.request(body, headers))
        if response.status_code != 401 or not self._sign_in.renewed(headers).result():
            return response
        response.close()
        headers = self._sign_in.headers().result()
        return self._inner.handle_request(translation.request(body, headers))

    def close(self) -> None:
        """Close the connections."""
        self._inner.close()


class _ForEventLoops:
    def __init__(self, library: ModuleType, sign_in: SharedSignIn, inner: Any) -> None:
        self._library = library
        self._sign_in = sign_in
        self._inner = inner

    async def handle_async_request(self, request: Any) -> Any:
        """The answer of Code Assist to a request for the Gemini API."""
        translation = Translation(self._library, request, self._sign_in)
        try:
            call = translation.call()
            wanted = translation.has_project(call)
            project = await asyncio.wrap_future(self._sign_in.project()) if wanted else ""
            body = translation.body(call, await request.aread(), project)
        except Impossible as impossible:
            return translation.refusal(impossible)
        response = await self._signed(translation, body)
        if not translation.streams(response):
            return translation.whole(response, await response.aread())
        documents = _async_documents(response)
        try:
            first: list[bytes] = await anext(documents, [])
        except BaseException:
            await response.aclose()
            raise
        if (failed := translation.failed_at_once(first)) is not None:
            await response.aclose()
            return failed
        stream = _with_base(_AsyncEvents, self._library, "AsyncByteStream")(first, documents, response)
        return translation.stream(response, stream)

    async def _signed(self, translation: Translation, body: bytes) -> Any:
        headers = await asyncio.wrap_future(self._sign_in.headers())
        response = await self._inner.handle_async_request(translation.request(body, headers))
        if response.status_code != 401 or not await asyncio.wrap_future(self._sign_in.renewed(headers)):
            return response
        await response.aclose()
        headers = await asyncio.wrap_future(self._sign_in.headers())
        return await self._inner.handle_async_request(translation.request(body, headers))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()


class _Events:
    """The events of a stream as they arrive."""

    def __init__(self, first: list[bytes], later: Iterator[list[bytes]], response: Any) -> None:
        self._first = first
        self._later = later
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        yield b"".join(map(as_event, self._first))
        for documents in self._later:
            yield b"".join(map(as_event, documents))

    def close(self) -> None:
        """Let go of the connection."""
        self._response.close()


class _AsyncEvents:
    """The events of a stream as they arrive."""

    def __init__(self, first: list[bytes], later: AsyncIterator[list[bytes]], response: Any) -> None:
        self._first = first
        self._later = later
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield b"".join(map(as_event, self._first))
        async for documents in self._later:
            yield b"".join(map(as_event, documents))

    async def aclose(self) -> None:
        """Let go of the connection."""
        await self._response.aclose()


def _documents(response: Any) -> Iterator[list[bytes]]:
    unwrapper = EventUnwrapper()
    for chunk in response.iter_bytes():
        if documents := unwrapper.feed(chunk):
            yield documents
    if documents := unwrapper.close():
        yield documents


async def _async_documents(response: Any) -> AsyncIterator[list[bytes]]:
    unwrapper = EventUnwrapper()
    async for chunk in response.aiter_bytes():
        if documents := unwrapper.feed(chunk):
            yield documents
    if documents := unwrapper.close():
        yield documents
