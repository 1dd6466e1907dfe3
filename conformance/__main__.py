"""`make conformance`: install, cut the network, try each peer, report.

    make conformance                    every peer
    make conformance PEER=opencode      one of them (several: PEER="codex opencode")
    make recordings                     the hosts whose pictures are in the documentation, recorded anew
    .venv/bin/python -m conformance --list

Everything is kept under `.conformance/`: packages between runs, logs of the last run. The table is
also written to `.conformance/report.md`, and that of a run of every peer to docs/conformance.md.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import shutil
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from conformance.installing import CannotInstall, installed, program_version
from conformance.isolation import cut_off
from conformance.page import PAGE, measured
from conformance.recording import HOSTS as RECORDED
from conformance.report import PeerReport, check_line, closing_line, exit_code, table
from conformance.roster import PEERS, Peer, chosen
from conformance.trial import PEER_SECONDS, ROOT, Check, ClientBroke, Trial
from groundwire.errors import GroundwireError
from groundwire.version import __version__

KEPT = ROOT / ".conformance"


def main() -> int:
    """Run the chosen peers and return the exit code."""
    parser = argparse.ArgumentParser(prog="make conformance", description=__doc__.splitlines()[0])
    parser.add_argument("peers", nargs="*", metavar="PEER", help="the peers to try (all)")
    parser.add_argument("--list", action="store_true", help="list the peers and stop")
    parser.add_argument("--record", action="store_true", help="write docs/recordings (without PEER: all)")
    arguments = parser.parse_args()
    try:
        peers = chosen(arguments.peers or (list(RECORDED) if arguments.record else []))
    except LookupError as unknown:
        parser.error(str(unknown.args[0]))
    if arguments.list:
        print("\n".join(f"{peer.name:<16} {version_of(peer):<10} {peer.shows}" for peer in peers))
        return 0
    places = install(peers)
    network = cut_off()
    print(f"\nNetwork: {network}.")
    began = time.monotonic()
    reports = [asyncio.run(tried(peer, places[peer.name], records=arguments.record)) for peer in peers]
    seconds = time.monotonic() - began
    write_down(reports, circumstances(network=network, seconds=seconds), whole=peers == PEERS)
    print(f"\n{table(reports)}\n\n{closing_line(reports)}")
    return exit_code(reports)


def write_down(reports: list[PeerReport], heading: str, *, whole: bool) -> None:
    """Keep the table; a run of every peer is also what the documentation shows."""
    closing = f"{table(reports)}\n\n{closing_line(reports)}."
    KEPT.mkdir(exist_ok=True)
    (KEPT / "report.md").write_text(f"{heading}\n\n{closing}\n", encoding="utf-8")
    if whole:
        PAGE.write_text(measured(PAGE.read_text(encoding="utf-8"), closing, heading), encoding="utf-8")


def circumstances(*, network: str, seconds: float) -> str:
    """When and on what a run was made, in a sentence."""
    system = f"{platform.system()} ({platform.machine()}, {os.cpu_count()} cores)"
    versions = f"Python {platform.python_version()}, node {program_version('node') or 'absent'}"
    now = datetime.now(UTC)
    return f"{now.day} {now:%B %Y}, {system}, {versions}, {network}; one run of {seconds / 60:.0f} minutes:"


def version_of(peer: Peer) -> str:
    """The version of the peer that is tried."""
    if peer.program:
        return program_version(peer.program)
    return peer.pin.version if peer.pin else __version__


def install(peers: tuple[Peer, ...]) -> dict[str, Path | CannotInstall]:
    """Where each peer is installed, or why it is not."""
    places: dict[str, Path | CannotInstall] = {}
    for peer in peers:
        if peer.pin is None:
            missing = peer.program and not shutil.which(peer.program)
            reason = CannotInstall(f"{peer.program} is not installed")
            places[peer.name] = reason if missing else Path(sys.prefix)
            continue
        began = time.monotonic()
        print(f"Installing {' '.join(peer.pin.specifications)} … ", end="", flush=True)
        try:
            places[peer.name] = installed(peer.name, peer.pin, KEPT)
            print(f"there ({time.monotonic() - began:.0f} s)", flush=True)
        except CannotInstall as reason:
            places[peer.name] = reason
            print(f"not possible: {reason}", flush=True)
    return places


async def tried(peer: Peer, place: Path | CannotInstall, *, records: bool = False) -> PeerReport:
    """Try one peer and print its checks."""
    print(f"\n{peer.name} {version_of(peer)}: {peer.shows}", flush=True)
    if isinstance(place, CannotInstall):
        print(f"  not run: {place}", flush=True)
        return PeerReport(peer.name, version_of(peer), peer.shows, reason=str(place))
    logs = KEPT / "logs" / peer.name
    shutil.rmtree(logs, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=f"{peer.name}-", ignore_cleanup_errors=True) as scratch:
        trial = Trial(peer.name, place, Path(scratch), logs, version_of(peer), records)
        await run_to_its_end(peer, trial)
    for check in trial.checks:
        print(check_line(check), flush=True)
    seconds = PEER_SECONDS - (trial.deadline - time.monotonic())
    print(f"  ({seconds:.0f} s)", flush=True)
    return PeerReport(peer.name, version_of(peer), peer.shows, tuple(trial.checks), seconds=seconds)


async def run_to_its_end(peer: Peer, trial: Trial) -> None:
    """Run the peer's checks; when it breaks off, that is one more check and a failed one."""
    try:
        await peer.run(trial)
    except (ClientBroke, GroundwireError, OSError, LookupError, TypeError, ValueError) as broken:
        # A client that answers in an unforeseen shape is a finding about that client, not the end of the run.
        trial.checks.append(
            Check("The run comes to its end.", "failed", f"{type(broken).__name__}: {broken}"[:900])
        )


if __name__ == "__main__":
    sys.exit(main())
