"""What this integration needs, and what to say where it is missing."""

from __future__ import annotations

import importlib.util
import sys

from groundwire.errors import MissingPackage

OLDEST_PYTHON = (3, 12)
INSTALL = "pip install 'groundwire[openhands]'"
PACKAGES = ("openhands.sdk", "openhands.tools")


def check_sdk() -> None:
    """MissingPackage when the OpenHands SDK cannot be imported here, with what to do about it."""
    if sys.version_info < OLDEST_PYTHON:
        here = ".".join(map(str, sys.version_info[:2]))
        raise MissingPackage(
            f"The OpenHands SDK needs Python 3.12 or later; this is {here}.",
            hint=f"In an environment with Python 3.12: {INSTALL}",
        )
    for package in PACKAGES:
        if not _is_there(package):
            raise MissingPackage(f"The package {package} is not installed.", hint=f"Run: {INSTALL}")


def _is_there(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:  # its parent is missing
        return False
