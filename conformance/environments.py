"""The environment a client runs in: nothing of the person who runs this, and proxies that lead nowhere."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

LOOPBACK = "127.0.0.1,localhost,::1"
NOWHERE = "http://127.0.0.1:9"
"""The discard port: where a client is sent that asks for anything but loopback."""


def scrubbed(
    inherited: Mapping[str, str], home: Path, first_on_path: tuple[Path, ...] = ()
) -> dict[str, str]:
    """An environment with a HOME of its own, the inherited PATH behind `first_on_path`, and no network."""
    path = [*(str(folder) for folder in first_on_path), inherited.get("PATH", "/usr/bin:/bin")]
    proxies = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
    return {
        "PATH": ":".join(path),
        "HOME": str(home),
        "TMPDIR": str(home / "tmp"),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "TERM": "dumb",
        "NO_COLOR": "1",
        "npm_config_offline": "true",
        **dict.fromkeys(proxies, NOWHERE),
        "NO_PROXY": LOOPBACK,
        "no_proxy": LOOPBACK,
    }
