"""The programs we are measured against: installed under `.conformance/` at pinned versions, or said why not.

peers = Peers()
peers.place("litellm", "LiteLLM")      # its folder; or None, and why in peers.not_run["LiteLLM"]
"""

from __future__ import annotations

from pathlib import Path

from conformance.installing import STAMP, CannotInstall, installed
from conformance.pins import MEASURED, PINS

PLACE = Path(__file__).resolve().parent.parent / ".conformance"


class Peers:
    """The peers of one benchmark: the versions of those that are there, and why the others are not."""

    def __init__(self) -> None:
        self.versions: dict[str, str] = {}
        self.not_run: dict[str, str] = {}

    def place(self, peer: str, known_as: str = "") -> Path | None:
        """Where a peer is, installed now if it was not; None, with a reason, when it cannot be."""
        pin, name = {**PINS, **MEASURED}[peer], known_as or peer
        if not (PLACE / pin.registry / peer / STAMP).is_file():
            print(f"Installing {' '.join(pin.specifications)} …", flush=True)
        try:
            place = installed(peer, pin, PLACE)
        except CannotInstall as reason:
            self.leave_out(name, str(reason))
            return None
        self.versions[name] = pin.version
        return place

    def leave_out(self, name: str, reason: str) -> None:
        """Write down that a peer is not run."""
        self.versions.pop(name, None)
        self.not_run[name] = reason
        print(f"{name}: not run: {reason}", flush=True)
