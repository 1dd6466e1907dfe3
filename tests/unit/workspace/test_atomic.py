"""Atomic writes: mode kept, nobody's change overwritten, nothing left behind."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from groundwire.errors import ToolError
from groundwire.workspace import boundary
from groundwire.workspace.atomic import remove, write_atomically
from groundwire.workspace.boundary import Fingerprint, Workspace
from groundwire.workspace.textfile import read_text


@pytest.fixture(params=[True, False], ids=["handles", "no handles"], autouse=True)
def directory_handles(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything holds also where the system has no directory handles."""
    monkeypatch.setattr(boundary, "HANDLES", request.param)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "a.txt").write_bytes(b"old")
    return Workspace(tmp_path)


def names(workspace: Workspace) -> list[str]:
    return sorted(os.listdir(workspace.root))


def test_a_file_is_replaced_and_keeps_its_mode(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "a.txt").chmod(0o751)
    place = workspace.resolve("a.txt")
    write_atomically(workspace, place, b"new", seen=read_text(workspace, place).fingerprint)
    assert (tmp_path / "a.txt").read_bytes() == b"new"
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o751
    assert names(workspace) == ["a.txt"]


@pytest.mark.skipif(sys.platform != "linux", reason="extended attributes are kept on Linux only")
def test_a_replaced_file_keeps_its_extended_attributes(workspace: Workspace, tmp_path: Path) -> None:
    try:
        os.setxattr(tmp_path / "a.txt", "user.origin", b"a scanner")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    place = workspace.resolve("a.txt")
    write_atomically(workspace, place, b"new", seen=read_text(workspace, place).fingerprint)
    assert (tmp_path / "a.txt").read_bytes() == b"new"
    assert os.getxattr(tmp_path / "a.txt", "user.origin") == b"a scanner"


@pytest.mark.skipif(sys.platform != "linux", reason="extended attributes are kept on Linux only")
def test_attributes_that_may_not_be_kept_do_not_stop_a_write(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []

    def refuse(_file: int, name: str, _value: bytes) -> None:
        tried.append(name)
        raise PermissionError(errno.EPERM, "not allowed")

    known = {"security.selinux": b"label", "user.origin": b"a scanner", "security.capability": b"all"}
    monkeypatch.setattr(os, "listxattr", lambda _file: list(known))
    monkeypatch.setattr(os, "getxattr", lambda _file, name: known[name])
    monkeypatch.setattr(os, "setxattr", refuse)
    place = workspace.resolve("a.txt")
    write_atomically(workspace, place, b"new", seen=read_text(workspace, place).fingerprint)
    assert (tmp_path / "a.txt").read_bytes() == b"new"
    assert tried == ["security.selinux", "user.origin"]  # what vouched for the old bytes is not copied


def test_a_new_file_gets_its_directories(workspace: Workspace, tmp_path: Path) -> None:
    write_atomically(workspace, workspace.resolve("x/y/z.txt"), b"new", seen=None)
    assert (tmp_path / "x/y/z.txt").read_bytes() == b"new"
    assert os.listdir(tmp_path / "x/y") == ["z.txt"]


def test_a_write_through_a_link_inside_the_root_keeps_the_link(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("a.txt")
    place = workspace.resolve("link")
    write_atomically(workspace, place, b"new", seen=read_text(workspace, place).fingerprint)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "a.txt").read_bytes() == b"new"


def test_a_file_changed_since_it_was_read_is_left_alone(workspace: Workspace, tmp_path: Path) -> None:
    place = workspace.resolve("a.txt")
    seen = read_text(workspace, place).fingerprint
    (tmp_path / "a.txt").write_bytes(b"somebody else's")
    with pytest.raises(ToolError, match="changed by someone else"):
        write_atomically(workspace, place, b"new", seen=seen)
    assert (tmp_path / "a.txt").read_bytes() == b"somebody else's"
    assert names(workspace) == ["a.txt"]


def test_a_file_that_appeared_meanwhile_is_not_overwritten(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="changed by someone else"):
        write_atomically(workspace, workspace.resolve("a.txt"), b"new", seen=None)
    assert (tmp_path / "a.txt").read_bytes() == b"old"


def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = workspace.resolve("a.txt")
    seen = read_text(workspace, place).fingerprint

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space"):
        write_atomically(workspace, place, b"new", seen=seen)
    assert (tmp_path / "a.txt").read_bytes() == b"old"
    assert names(workspace) == ["a.txt"]


def test_a_file_is_removed_only_while_it_is_the_one_that_was_seen(
    workspace: Workspace, tmp_path: Path
) -> None:
    place = workspace.resolve("a.txt")
    seen = read_text(workspace, place).fingerprint
    (tmp_path / "a.txt").write_bytes(b"changed since")
    with pytest.raises(ToolError, match="changed by someone else"):
        remove(workspace, place, seen=seen)
    remove(workspace, place, seen=read_text(workspace, place).fingerprint)
    assert names(workspace) == []


@pytest.mark.parametrize("before", [None, b"old"])
def test_who_is_asked_before_the_last_step_can_stop_it(tmp_path: Path, before: bytes | None) -> None:
    workspace = Workspace(tmp_path)
    place = workspace.resolve("a.txt")
    if before is not None:
        (tmp_path / "a.txt").write_bytes(before)
    seen = None if before is None else Fingerprint.of(workspace.stat(place))

    def refuse() -> None:
        assert (tmp_path / ".waiting.tmp").read_bytes() == b"new"
        raise RuntimeError("not yet")

    with pytest.raises(RuntimeError, match="not yet"):
        write_atomically(workspace, place, b"new", seen=seen, temporary=".waiting.tmp", ready=refuse)
    assert [path.name for path in tmp_path.iterdir()] == ([] if before is None else ["a.txt"])
    assert before is None or (tmp_path / "a.txt").read_bytes() == before
