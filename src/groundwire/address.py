"""What an address says about safety: its host, whether it is this machine, whether it is a public one."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit


def host_of(url: str) -> str:
    """The host (and port) of a URL for messages: never a path, query or password."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.hostname or url[:40]}{port}"
    except ValueError:  # a broken port or bracketed host
        return "an unreadable address"


def with_path(base_url: str, path: str) -> str:
    """The base URL, with this path when it names a host only: `https://proxy.example` mirrors the service."""
    bare = base_url.rstrip("/")
    return bare if urlsplit(bare).path else bare + path


def is_loopback(url: str) -> bool:
    """Whether the URL names this machine: localhost, 127.0.0.0/8 or ::1."""
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return False
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:  # a name, not a number
        return False


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address belongs to the public internet: not to this machine, its networks or a cloud's
    inside.

    An IPv6 address that carries an IPv4 address is what that one is.
    """
    carried = _carried(address)
    if carried is not None:
        return is_public(carried)
    if any(address.version == inside.version and address in inside for inside in _INSIDE):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


_INSIDE = tuple(
    map(
        ip_network,
        (
            "168.63.129.16/32",  # Azure's metadata stands among its public addresses
            "192.0.0.0/24",  # protocols, and Oracle's metadata
            "192.88.99.0/24",  # 6to4 relays
            "64:ff9b:1::/48",  # NAT64 inside a network
            "2001::/23",  # Teredo and other protocols
            "fec0::/10",  # the networks of a site, an older form of fd00::/8
        ),
    )
)
_NAT64 = ip_network("64:ff9b::/96")
_COMPATIBLE = ip_network("::/96")


def _carried(address: IPv4Address | IPv6Address) -> IPv4Address | None:
    if isinstance(address, IPv4Address):
        return None
    if address in _NAT64 or address in _COMPATIBLE:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour
