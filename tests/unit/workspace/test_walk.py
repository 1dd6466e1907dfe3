"""The walk: what it comes to, what it stays out of, and that it always ends."""

from __future__ import annotations

import os
from pathlib import Path

from groundwire.workspace.boundary import Workspace
from groundwire.workspace.ignore import Ignore
from groundwire.workspace.walk import DEEPEST, Allowance, walk


def paths(root: Path, *, show_ignored: bool = False, start: str = ".") -> list[str]:
    workspace = Workspace(root)
    found = walk(
        workspace,
        workspace.resolve(start),
        ignore=Ignore(workspace),
        state=0,
        enter=lambda depth, name: depth + 1 if name != "closed" else None,
        want=lambda depth: bool,
        ignored=Allowance(100) if show_ignored else None,
    )
    return sorted(f"{file.path}{' (ignored)' if file.ignored else ''}" for file in found)


def test_files_and_links_are_found_and_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "f").write_bytes(b"")
    (tmp_path / "a" / "up").symlink_to("..")
    (tmp_path / "out").symlink_to("/etc")
    os.mkfifo(tmp_path / "pipe")
    assert paths(tmp_path) == ["a/b/f", "a/up", "out", "pipe"]


def test_a_directory_can_be_left_out(tmp_path: Path) -> None:
    for name in ("closed", "open"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "f").write_bytes(b"")
    assert paths(tmp_path) == ["open/f"]


def test_ignored_files_are_left_out_or_marked(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub").mkdir()
    (tmp_path / ".gitignore").write_text("sub/\n", encoding="utf-8")
    (tmp_path / "sub" / "f").write_bytes(b"")
    assert paths(tmp_path) == [".gitignore"]
    assert paths(tmp_path, show_ignored=True) == [".gitignore", "sub/f (ignored)"]


def test_rules_above_the_start_hold_below_it(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub").mkdir()
    (tmp_path / ".gitignore").write_text("/sub/f\n", encoding="utf-8")
    for name in ("f", "g"):
        (tmp_path / "sub" / name).write_bytes(b"")
    assert paths(tmp_path, start="sub") == ["g"]


def test_a_tree_deeper_than_the_limit_ends(tmp_path: Path) -> None:
    handle = os.open(tmp_path, os.O_RDONLY)
    for _ in range(DEEPEST + 20):
        os.mkdir("d", dir_fd=handle)
        below = os.open("d", os.O_RDONLY, dir_fd=handle)
        os.close(os.open("f", os.O_CREAT | os.O_WRONLY, dir_fd=below))
        os.close(handle)
        handle = below
    os.close(handle)
    assert len(paths(tmp_path)) == DEEPEST - 1


def test_no_handle_is_left_open_when_the_walk_is_abandoned(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "f").write_bytes(b"")
    before = len(os.listdir("/proc/self/fd"))
    workspace = Workspace(tmp_path)
    found = walk(
        workspace,
        workspace.resolve("."),
        ignore=None,
        state=0,
        enter=lambda state, name: 0,
        want=lambda state: bool,
    )
    assert next(iter(found)).path == "a/b/f"
    found.close()  # type: ignore[attr-defined]
    assert len(os.listdir("/proc/self/fd")) == before
