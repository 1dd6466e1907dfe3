"""Who may use the gateway: programs of this machine that know its key. Plain judgements, no I/O.

    the Host is not this machine           403   a page whose name was pointed at 127.0.0.1 (DNS rebinding)
    an Origin, or a request of a page      403   a web page, whatever key it has
    no key, or another                     401

The key is taken from `x-goog-api-key`, from `Authorization: Bearer`, or from `?key=`: where SDKs put it.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from urllib.parse import unquote

from groundwire.address import is_loopback
from groundwire.gateway.refusals import Answer, refusal
from groundwire.secret import Secret

OF_A_PAGE = ("cross-site", "same-site", "same-origin")
"""What browsers say in Sec-Fetch-Site about requests that a page makes; `none` is a person's own."""


class Access:
    """Judges requests against one key."""

    def __init__(self, key: Secret) -> None:
        self._key = key.reveal().encode()
        self._judged_hosts: dict[str, bool] = {}

    def refused_origin(self, headers: Mapping[str, str]) -> Answer | None:
        """The refusal of a request that does not come from a program of this machine; None when it does."""
        if not self._is_ours(headers.get("host", "")):
            return refusal(403, "This gateway answers only to requests for localhost or 127.0.0.1.")
        if "origin" in headers or headers.get("sec-fetch-site") in OF_A_PAGE:
            return refusal(403, "This gateway does not answer web pages.")
        return None

    def refused_key(self, headers: Mapping[str, str], query: str) -> Answer | None:
        """The refusal of a request without the right key; None when it has it."""
        given = headers.get("x-goog-api-key") or _bearer(headers) or _in_query(query)
        if given and hmac.compare_digest(given.encode("utf-8", "surrogateescape"), self._key):
            return None
        trouble = "This is not the gateway's key." if given else "The gateway's key is missing."
        return refusal(
            401,
            f"{trouble} Send the key that groundwire gateway made at its first start, or that it was given: "
            "as the API key of your SDK, which is the header x-goog-api-key.",
            ("www-authenticate", "Bearer"),
        )

    def _is_ours(self, host: str) -> bool:
        known = self._judged_hosts.get(host)
        if known is None:
            known = "@" not in host and is_loopback(f"http://{host}/")
            if len(self._judged_hosts) < 256:
                self._judged_hosts[host] = known
        return known


def _bearer(headers: Mapping[str, str]) -> str:
    kind, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def _in_query(query: str) -> str:
    for pair in query.split("&"):
        name, _, value = pair.partition("=")
        if name == "key":
            return unquote(value)
    return ""
