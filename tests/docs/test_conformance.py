"""docs/conformance.md names every peer with the version that is tried."""

from __future__ import annotations

import re
from pathlib import Path

from conformance.pins import PINS
from conformance.roster import PEERS
from groundwire.version import __version__

PAGE = (Path(__file__).parents[2] / "docs" / "conformance.md").read_text(encoding="utf-8")


def test_the_table_of_peers_is_the_roster() -> None:
    described = dict(re.findall(r"^\| `([\w-]+)` \| ([^|]+) \|", PAGE, re.MULTILINE))
    own = dict.fromkeys(("groundwire", "hosts"), __version__)
    own |= {peer.name: "of the machine" for peer in PEERS if peer.program}
    assert described == {peer.name: own.get(peer.name) or PINS[peer.name].version for peer in PEERS}


def test_the_last_result_names_every_peer() -> None:
    measured = PAGE.partition("## Last measured")[2]
    rows = re.findall(r"^\| ([\w-]+) +\| ", measured, re.MULTILINE)
    assert rows[1:] == [peer.name for peer in PEERS]
