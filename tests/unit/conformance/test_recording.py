"""Recordings of hosts: without what belongs to one machine, and compared with those in the documentation."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance import recording
from conformance.pins import PINS
from conformance.recording import HOSTS, RECORDINGS, STALE, keep, paths_in, recorded
from conformance.trial import Trial


def test_a_recording_is_what_a_person_would_see() -> None:
    printed = "\x1b[1m/place/x/home/bin/host\x1b[0m starts /place/x/venv/bin/gw  \n\n\n\nDone.\n\n"
    shown = {"/place/x/home": "~", "/place/x": "?", "/place/x/venv/bin": "~/.local/bin"}
    told = recorded("host run", printed, shown)
    assert told == "$ host run\n~/bin/host starts ~/.local/bin/gw\n\nDone.\n"


def test_a_path_that_is_left_is_found_and_an_address_is_none() -> None:
    text = "wrote /places/somebody/a.txt (https://weather.example.org/beijing/today) ~/.local/bin/x 11/24"
    assert paths_in(text) == ["/places/somebody/a.txt"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(recording, "RECORDINGS", tmp_path)
    return tmp_path


def trial(tmp_path: Path, *, records: bool) -> Trial:
    return Trial("codex", tmp_path / "place", tmp_path / "scratch", tmp_path / "logs", records=records)


def test_recording_writes_and_every_other_run_compares(folder: Path) -> None:
    recorder = trial(folder, records=True)
    keep("codex exec", f"an answer in {folder}/home", folder / "home", recorder)
    assert (folder / "codex.txt").read_text(encoding="utf-8") == "$ codex exec\nan answer in ~\n"
    assert {check.outcome for check in recorder.checks} == {"passed"}
    other = trial(folder, records=False)
    keep("codex exec", "another answer", folder / "home", other)
    assert [(check.sentence, check.outcome) for check in other.checks][-1] == (STALE, "failed")
    assert "+ another answer" in other.checks[-1].seen
    assert "another" not in (folder / "codex.txt").read_text(encoding="utf-8")


def test_a_recording_with_a_path_of_this_machine_is_not_kept(folder: Path) -> None:
    recorder = trial(folder, records=True)
    keep("codex exec", "an answer in /places/somebody/project", folder / "home", recorder)
    assert not (folder / "codex.txt").exists()
    assert recorder.checks[0].outcome == "failed"


def test_there_is_a_recording_of_each_host_and_its_page_names_the_version() -> None:
    assert {file.stem for file in RECORDINGS.iterdir()} == set(HOSTS)
    for host in HOSTS:
        assert paths_in((RECORDINGS / f"{host}.txt").read_text(encoding="utf-8")) == []
        page = (RECORDINGS.parent / "hosts" / f"{host}.md").read_text(encoding="utf-8")
        assert f" {PINS[host].version}" in page, f"docs/hosts/{host}.md does not name {PINS[host].version}"
