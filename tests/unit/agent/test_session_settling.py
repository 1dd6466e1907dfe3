"""What became of a call that an interruption fell upon: the evidence on the disk decides."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from groundwire.agent.session_settling import CHANGED, UNKNOWN, digest, settled
from groundwire.agent.transcript import WriteBegan
from groundwire.workspace.boundary import Workspace


@dataclass(frozen=True)
class Case:
    name: str
    before: bytes | None
    after: bytes | None
    now: bytes | None
    answer: str | None
    """What the model is told; None when the call is carried out."""


CASES = [
    Case("an edit that happened", b"old\n", b"new\n", b"new\n", "Successfully wrote"),
    Case("an edit that did not happen", b"old\n", b"new\n", b"old\n", None),
    Case("someone else was here", b"old\n", b"new\n", b"other\n", CHANGED.format(path="a.txt")),
    Case("someone deleted it", b"old\n", b"new\n", None, CHANGED.format(path="a.txt")),
    Case("a new file that is there", None, b"new\n", b"new\n", "Successfully wrote"),
    Case("a new file that is not there", None, b"new\n", None, None),
    Case("a new file that is another", None, b"new\n", b"other\n", CHANGED.format(path="a.txt")),
    Case("a deletion that happened", b"old\n", None, None, "Successfully deleted"),
    Case("a deletion that did not happen", b"old\n", None, b"old\n", None),
    Case("a write that changes nothing", b"same\n", b"same\n", b"same\n", "Successfully wrote"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_file_tells_whether_it_was_written(tmp_path: Path, case: Case) -> None:
    if case.now is not None:
        (tmp_path / "a.txt").write_bytes(case.now)
    write = WriteBegan("", 1, "a.txt", digest(case.before), digest(case.after))
    given = settled(write, Workspace(tmp_path), journaled=True, before=lambda name: case.before)
    if case.answer is None:
        assert given is None
        return
    assert given is not None
    assert given.ok is not (case.answer == CHANGED.format(path="a.txt"))
    assert case.answer in (given.response.get("output") or given.response["error"])


def test_an_edit_that_happened_shows_what_it_changed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"new\n")
    write = WriteBegan("", 1, "a.txt", digest(b"old\n"), digest(b"new\n"))
    given = settled(write, Workspace(tmp_path), journaled=True, before=lambda name: b"old\n")
    assert given is not None
    assert given.diff.endswith("-old\n+new\n")


def test_the_file_the_write_left_beside_is_removed_and_no_other(tmp_path: Path) -> None:
    for name in (".groundwire-1.tmp", ".groundwire-2.tmp", "b.txt"):
        (tmp_path / name).write_bytes(b"half")
    for temporary in (".groundwire-1.tmp", "b.txt", "../b.txt", ""):
        write = WriteBegan("", 1, "a.txt", None, digest(b"new\n"), temporary=temporary)
        assert settled(write, Workspace(tmp_path), journaled=True, before=lambda name: None) is None
    assert sorted(path.name for path in tmp_path.iterdir()) == [".groundwire-2.tmp", "b.txt"]


def test_without_an_announced_write_the_kind_of_tool_decides(tmp_path: Path) -> None:
    assert settled(None, Workspace(tmp_path), journaled=True, before=lambda name: None) is None
    given = settled(None, Workspace(tmp_path), journaled=False, before=lambda name: None)
    assert given is not None
    assert given.response == {"error": UNKNOWN}
