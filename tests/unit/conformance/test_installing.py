"""Versions and stamps: what is installed again, and what is said when it cannot be."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.commands import Finished
from conformance.installing import (
    CannotInstall,
    found_version,
    node_is_too_old,
    python_for,
    python_version,
    reason_in,
    stamp,
)
from conformance.pins import PINS, Pin
from conformance.roster import PEERS, chosen

NPM = Pin("npm", (("@google/genai", "2.32.0"),))
PYPI = Pin("pypi", (("google-genai", "3.1.0"), ("httpx", "1.0")))


def test_each_registry_wants_its_own_spelling() -> None:
    assert NPM.specifications == ("@google/genai@2.32.0",)
    assert PYPI.specifications == ("google-genai==3.1.0", "httpx==1.0")


def test_another_version_or_another_runtime_is_installed_again() -> None:
    known = stamp(NPM, "v20.1.0")
    assert stamp(NPM, "v20.1.0") == known
    assert stamp(NPM, "v22.0.0") != known
    assert stamp(replace(NPM, packages=(("@google/genai", "2.33.0"),)), "v20.1.0") != known


def test_the_installed_version_is_read_from_the_packages_own_manifest(tmp_path: Path) -> None:
    manifest = tmp_path / "node_modules" / "@google" / "genai" / "package.json"
    manifest.parent.mkdir(parents=True)
    manifest.write_text('{"name": "@google/genai", "version": "2.31.0"}', encoding="utf-8")
    assert found_version(tmp_path, NPM) == "2.31.0"


def test_the_installed_version_is_read_from_the_virtual_environment(tmp_path: Path) -> None:
    (tmp_path / "lib" / "python3.11" / "site-packages" / "google_genai-3.0.0.dist-info").mkdir(parents=True)
    assert found_version(tmp_path, PYPI) == "3.0.0"


def test_nothing_installed_has_no_version(tmp_path: Path) -> None:
    assert found_version(tmp_path, NPM) == ""
    assert found_version(tmp_path, PYPI) == ""


@pytest.mark.parametrize(("version", "old"), [("18.20.1", True), ("20.0.0", False), ("24.1.0", False)])
def test_a_node_that_is_too_old_is_recognised(version: str, old: bool) -> None:
    assert node_is_too_old(version) is old


def test_the_reason_is_the_line_that_tells_most() -> None:
    said = "npm warn something\nnpm error code ENOTFOUND\nnpm error network request failed\n"
    assert reason_in(Finished(1, "", said)) == "npm error code ENOTFOUND"
    assert reason_in(Finished(7, "", "")) == "exit code 7"
    assert "longer than" in reason_in(Finished(-9, "", "", timed_out=True))


def test_every_pin_belongs_to_a_peer_and_every_peer_has_a_name_of_its_own() -> None:
    names = [peer.name for peer in PEERS]
    assert len(set(names)) == len(names)
    assert set(PINS) <= set(names)


def test_an_unknown_peer_is_answered_with_the_names_there_are() -> None:
    with pytest.raises(LookupError, match=r"no peer 'opencod'.*opencode"):
        chosen(["opencod"])


def test_without_names_every_peer_is_chosen() -> None:
    assert chosen([]) == PEERS
    assert [peer.name for peer in chosen(["codex", "openai"])] == ["openai", "codex"]


def test_a_peer_that_needs_a_newer_python_than_any_here_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(CannotInstall, match=r"there is no Python 3\.99 or later here"):
        python_for(replace(PYPI, oldest_python=(3, 99)))


def test_this_python_is_used_where_it_is_new_enough() -> None:
    assert python_for(PYPI) == sys.executable
    assert python_version(sys.executable) == sys.version.split()[0]
    assert python_version("no-such-python") == ""
