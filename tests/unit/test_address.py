"""Which addresses are public."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from groundwire.address import is_public

PRIVATE = {
    "this machine": ["127.0.0.1", "127.255.255.254", "::1", "0.0.0.0", "0.1.2.3", "::"],
    "a private network": ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12::1"],
    "the local link": ["169.254.1.1", "fe80::1", "febf::1", "fec0::1"],
    "behind a carrier": ["100.64.0.1", "100.127.255.255"],
    "a cloud's metadata": [
        "169.254.169.254",
        "fd00:ec2::254",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
    ],
    "no single host": ["224.0.0.1", "255.255.255.255", "ff02::1", "240.0.0.1"],
    "documentation and measuring": ["192.0.2.1", "198.51.100.1", "203.0.113.1", "198.18.0.1", "2001:db8::1"],
    "IPv4 inside IPv6": [
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:169.254.169.254",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::1",
        "2002:7f00:1::",
        "2002:a00:1::1",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    ],
}
PUBLIC = ["1.1.1.1", "8.8.8.8", "93.184.216.34", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]


@pytest.mark.parametrize("address", [one for many in PRIVATE.values() for one in many])
def test_what_is_inside_is_not_public(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", PUBLIC)
def test_the_internet_is_public(address: str) -> None:
    assert is_public(ip_address(address))
