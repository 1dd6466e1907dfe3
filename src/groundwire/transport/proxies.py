"""Which proxy the environment names for an address: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY, in small
letters or capitals, the small ones first. Decides, does nothing."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address, ip_network


def proxy_for(scheme: str, host: str, port: int, env: Mapping[str, str]) -> str | None:
    """The proxy's address; None when the host is to be reached without one."""
    if _is_exempt(host, port, _variable("no_proxy", env)):
        return None
    proxy = _variable(f"{scheme}_proxy", env) or _variable("all_proxy", env)
    if not proxy:
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def _variable(name: str, env: Mapping[str, str]) -> str:
    return (env.get(name) or env.get(name.upper()) or "").strip()


def _is_exempt(host: str, port: int, no_proxy: str) -> bool:
    """Whether NO_PROXY names a host: `*`, the host, a domain above it, either with a port, or a network."""
    for entry in no_proxy.lower().split(","):
        name = entry.strip().removeprefix("*.").lstrip(".")
        if name == "*" or (name and _names(name, host, port)):
            return True
    return False


def _names(name: str, host: str, port: int) -> bool:
    try:
        return ip_address(host) in ip_network(name.strip("[]"), strict=False)
    except ValueError:  # one of the two is a name
        return any(one == name or one.endswith(f".{name}") for one in (host, f"{host}:{port}"))
