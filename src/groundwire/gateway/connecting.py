"""How the gateway's requests leave this machine: over kept connections, or through the company's proxy.

The pool of kept connections is many times faster than the ordinary transport, but speaks to servers directly.
So the ordinary one is used where a proxy is set for the address, and where this Python has no list of
certificate authorities to check a server against.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from urllib.parse import urlsplit

from groundwire.address import is_loopback
from groundwire.errors import InvalidConfig
from groundwire.gateway.upstream_pool import Patience, UpstreamPool
from groundwire.transport.base import Transport
from groundwire.transport.http import Http, Timeouts


async def connected(base_url: str, env: Mapping[str, str], stack: AsyncExitStack) -> Transport:
    """The transport for an address; `stack` closes it."""
    ca_file = env.get("SSL_CERT_FILE")
    if is_loopback(base_url):
        return await stack.enter_async_context(UpstreamPool())
    if not behind_a_proxy(base_url, env):
        context = tls_context(ca_file)
        if base_url.startswith("http://") or _can_check(context):
            return await stack.enter_async_context(UpstreamPool(tls=lambda: context))
    timeouts = Timeouts(read=Patience().silent_seconds)
    return await stack.enter_async_context(
        Http(timeouts=timeouts, ca_file=Path(ca_file) if ca_file else None)
    )


def behind_a_proxy(url: str, env: Mapping[str, str]) -> bool:
    """Whether the environment says that this address is asked through a proxy."""
    parts = urlsplit(url)
    names = (f"{parts.scheme}_proxy", "all_proxy")
    if not any(env.get(name) or env.get(name.upper()) for name in names):
        return False
    exceptions = (env.get("no_proxy") or env.get("NO_PROXY") or "").split(",")
    # Networks in NO_PROXY (10.0.0.0/8) are the ordinary transport's business: it is asked when in doubt.
    return not any(_covers(exception.strip(), parts.hostname or "") for exception in exceptions)


def _covers(exception: str, host: str) -> bool:
    name = exception.lstrip("*").lstrip(".").lower()
    return exception == "*" or (bool(name) and (host == name or host.endswith(f".{name}")))


def tls_context(ca_file: str | None) -> ssl.SSLContext:
    """Checks servers against the system's authorities and those in `ca_file`."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    if ca_file:
        try:
            context.load_verify_locations(ca_file)
        except (OSError, ssl.SSLError) as error:
            raise InvalidConfig(
                f"The certificate file {ca_file} cannot be used: {error}.", hint="Check SSL_CERT_FILE."
            ) from error
    return context


def _can_check(context: ssl.SSLContext) -> bool:
    """Whether there is any authority. A folder of them (capath) is read only when it is needed."""
    paths = ssl.get_default_verify_paths()
    return bool(context.cert_store_stats()["x509_ca"]) or paths.capath is not None
