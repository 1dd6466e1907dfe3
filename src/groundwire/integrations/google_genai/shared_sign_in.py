"""One Google sign-in for callers of every kind: threads that wait, and event loops that come and go.

A sign-in renews itself with asyncio. google-genai is used from plain threads as well, and from one event loop
after another, so the sign-in lives on an event loop of its own, in a thread that starts when it is first
needed and ends with the program. All callers share it: one of them renews, the others get the result.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
import uuid
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from groundwire.credentials.resolve import resolve
from groundwire.runtime import config_from_world
from groundwire.secret import Secret
from groundwire.transport.auth import ApiKey, Authorizer, Headers
from groundwire.transport.code_assist import DEFAULT_BASE_URL
from groundwire.transport.http import Http

Given = TypeVar("Given")
Project = Callable[[], Awaitable[str]]


class SharedSignIn:
    """Who asks Code Assist, at which address, and for which project."""

    def __init__(self, authorizer: Authorizer, project: Project, *, base_url: str = DEFAULT_BASE_URL) -> None:
        self.base_url = base_url.rstrip("/")
        self.session_id = str(uuid.uuid4())
        self._authorizer = authorizer
        self._project = project

    def headers(self) -> Future[Headers]:
        """The headers to send now."""
        return _run(self._authorizer.headers())

    def renewed(self, refused: Headers) -> Future[bool]:
        """Whether there are other headers to try after these were refused."""
        return _run(self._authorizer.renew(refused))

    def project(self) -> Future[str]:
        """The project that requests are charged to."""
        return _run(_awaited(self._project))


class _Home:
    """The event loop of all sign-ins of this process, and the thread it runs in."""

    starting = threading.Lock()
    thread: threading.Thread | None = None
    loop: asyncio.AbstractEventLoop


def _run(work: Coroutine[Any, Any, Given]) -> Future[Given]:
    with _Home.starting:
        if _Home.thread is None or not _Home.thread.is_alive():  # not alive in a process that was forked off
            _Home.loop = asyncio.new_event_loop()
            name = "groundwire-google-sign-in"
            _Home.thread = threading.Thread(target=_Home.loop.run_forever, name=name, daemon=True)
            _Home.thread.start()
        return asyncio.run_coroutine_threadsafe(work, _Home.loop)


async def _awaited(find: Project) -> str:
    return await find()


def static_sign_in(access_token: str, project: str, *, base_url: str | None = None) -> SharedSignIn:
    """A sign-in with a token that somebody else keeps fresh. `base_url` None means the configured one."""

    async def the_project() -> str:
        return project

    address = base_url or config_from_world().urls.code_assist
    return SharedSignIn(ApiKey(Secret(access_token), scheme="Bearer"), the_project, base_url=address)


def sign_in(*, project: str | None = None) -> SharedSignIn:
    """The Google sign-in of this machine, found as in `credentials.resolve`; MissingGoogleSignIn without one.

    `project` is named to Google in place of the one in the configuration or the environment.
    """
    config = config_from_world({"google.project": project})
    authorities = os.environ.get("SSL_CERT_FILE")
    http = Http(ca_file=Path(authorities) if authorities else None)
    credential = resolve("code_assist", config, os.environ, http, time.time)
    assert credential.project is not None
    return SharedSignIn(credential.authorizer, credential.project, base_url=config.urls.code_assist)
