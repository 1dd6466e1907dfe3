"""What every test stands on: no network, no environment of the person who runs it, a HOME of its own."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

# Kept from the real environment; everything else is scrubbed before each test.
KEPT = {
    "PATH",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "PYTHONWARNDEFAULTENCODING",
    "PYTHONPATH",
    "VIRTUAL_ENV",
    "SYSTEMROOT",
}


@pytest.fixture(autouse=True)
def scrubbed_environment(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty HOME, no credentials, and proxies that lead nowhere except to loopback."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name not in KEPT and not name.startswith(("PYTEST_", "COVERAGE_", "HYPOTHESIS_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    for proxy in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(proxy, "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost,::1")
    return home


def pytest_configure() -> None:
    """Hear what a shell makes its background jobs deaf to: tests interrupt and hang up on programs."""
    for name, handler in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
        number = getattr(signal, name, None)  # not every system has both
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)
