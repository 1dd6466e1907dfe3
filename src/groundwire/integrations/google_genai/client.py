"""`code_assist_client()`: a google-genai client that is ready to use with a Google sign-in.

Both of its HTTP clients, the one for threads and the one for event loops, get our transport: with only one of
them, google-genai would send the other's requests elsewhere, without the sign-in.
"""

from __future__ import annotations

import os
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from typing import TYPE_CHECKING, Any

from groundwire.errors import MissingPackage
from groundwire.integrations.google_genai.shared_sign_in import SharedSignIn, sign_in
from groundwire.integrations.google_genai.transports import (
    async_code_assist_transport,
    code_assist_transport,
)

if TYPE_CHECKING:
    from google.genai import Client

UNUSED_KEY = "signed-in-with-google"
"""google-genai insists on a key. It is taken off before anything is sent."""


def code_assist_client(signed_in: SharedSignIn | None = None, **options: Any) -> Client:
    """A `genai.Client` whose requests are answered by Code Assist, paid by a Google sign-in.

    Without `signed_in` the sign-in is looked for where `groundwire auth` shows it; nothing is sent before
    the first request. `options` are those of `genai.Client`, but for the ones that say who asks.
    """
    genai = _installed("google.genai")
    library = http_library()
    who = signed_in or sign_in()
    given = genai.types.HttpOptions.model_validate(options.pop("http_options", None) or {})
    # Given as arguments of its HTTP clients, not as clients: so google-genai closes what it made itself.
    ours = {
        "base_url": who.base_url,
        "client_args": {**(given.client_args or {}), "transport": code_assist_transport(library, who)},
        "async_client_args": {
            **(given.async_client_args or {}),
            "transport": async_code_assist_transport(library, who),
        },
    }
    http_options = given.model_copy(update=ours)
    return genai.Client(api_key=UNUSED_KEY, vertexai=False, http_options=http_options, **options)


def http_library() -> ModuleType:
    """The library that the installed google-genai sends with: httpx2 since its version 3, httpx before.

    GOOGLE_GENAI_HTTP_CLIENT decides between them, as it does for google-genai itself.
    """
    wished = os.environ.get("GOOGLE_GENAI_HTTP_CLIENT", "").strip().lower()
    if wished in ("httpx", "httpx2"):
        return _installed(wished)
    try:
        newer = int(version("google-genai").partition(".")[0]) >= 3
    except PackageNotFoundError:
        newer = True
    return _installed("httpx2" if newer else "httpx")


def _installed(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise MissingPackage(
            f"{name} is not installed.", hint="Install it with: pip install 'groundwire[google-genai]'"
        ) from error
