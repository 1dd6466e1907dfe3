"""The boundary: what resolves, what is refused, and that nothing outside is ever reached."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from groundwire.errors import ToolError
from groundwire.workspace import boundary
from groundwire.workspace.boundary import Workspace
from groundwire.workspace.textfile import read_bytes


@pytest.fixture(params=[True, False], ids=["handles", "no handles"], autouse=True)
def directory_handles(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything holds also where the system has no directory handles."""
    monkeypatch.setattr(boundary, "HANDLES", request.param)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "a.txt").write_bytes(b"inside")
    (tmp_path / "secret.txt").write_bytes(b"outside")
    return folder


def content(root: Path, path: str) -> bytes:
    workspace = Workspace(root)
    return read_bytes(workspace, workspace.resolve(path))[0]


@pytest.mark.parametrize("path", ["a.txt", "./a.txt", "sub/../a.txt", "{root}/a.txt", "{root}//./a.txt"])
def test_a_path_inside_the_root_is_read(root: Path, path: str) -> None:
    assert content(root, path.format(root=root)) == b"inside"


@pytest.mark.parametrize(
    "path",
    [
        "../secret.txt",
        "/etc/passwd",
        "{root}/../secret.txt",
        "{root}x/a.txt",
        "..",
        "/",
        "/proc/self/environ",
    ],
)
def test_a_path_outside_the_root_is_refused(root: Path, path: str) -> None:
    with pytest.raises(ToolError, match="Path not in workspace"):
        content(root, path.format(root=root))


@pytest.mark.parametrize(
    "path",
    ["a\0.txt", "a\ud800.txt", "\udfff/b", "a\n.txt", "a\t", "x" * 256, "a/" * 2100, "FAIL x", ""],
)
def test_a_spelling_that_is_no_path_is_refused(root: Path, path: str) -> None:
    with pytest.raises((ToolError, OSError)):
        content(root, path)


@pytest.mark.parametrize("path", ["%2e%2e/secret.txt", "..%2fsecret.txt", "%2e%2e%2fsecret.txt"])
def test_percent_signs_are_letters_and_lead_nowhere(root: Path, path: str) -> None:
    with pytest.raises(FileNotFoundError):
        content(root, path)


@pytest.mark.parametrize(
    "path",
    [".git/config", ".GIT/config", ".env", ".env.", "sub/.Env ", "node_modules/x", ".git::$DATA", "git~1"],
)
def test_protected_segments_are_refused_however_they_are_spelled(root: Path, path: str) -> None:
    with pytest.raises(ToolError, match="Path not in workspace"):
        content(root, path)


def test_a_name_that_only_begins_like_a_protected_one_is_allowed(root: Path) -> None:
    (root / ".env.local").write_bytes(b"x")
    assert content(root, ".env.local") == b"x"


def test_a_link_inside_the_root_is_followed(root: Path) -> None:
    (root / "link").symlink_to("a.txt")
    assert content(root, "link") == b"inside"


@pytest.mark.parametrize("target", ["../secret.txt", "{outside}/secret.txt", "../missing.txt", "/etc/passwd"])
def test_a_link_that_leaves_the_root_is_refused_even_when_it_dangles(root: Path, target: str) -> None:
    (root / "link").symlink_to(target.format(outside=root.parent))
    with pytest.raises(ToolError, match="Path not in workspace"):
        content(root, "link")


def test_a_link_to_a_directory_outside_leads_nowhere(root: Path) -> None:
    (root / "up").symlink_to("..")
    with pytest.raises(ToolError, match="Path not in workspace"):
        content(root, "up/secret.txt")


def test_a_file_swapped_for_a_link_after_resolving_is_not_followed(root: Path) -> None:
    workspace = Workspace(root)
    place = workspace.resolve("a.txt")
    (root / "a.txt").unlink()
    (root / "a.txt").symlink_to("../secret.txt")
    with pytest.raises(OSError, match="symbolic link"):
        read_bytes(workspace, place)


def test_a_directory_swapped_for_a_link_after_resolving_is_not_followed(root: Path) -> None:
    (root / "sub").mkdir()
    (root / "sub" / "secret.txt").write_bytes(b"inside")
    workspace = Workspace(root)
    place = workspace.resolve("sub/secret.txt")
    (root / "sub").rename(root / "gone")
    (root / "sub").symlink_to("..")
    with pytest.raises(OSError, match=r"Not a directory|symbolic link"):
        read_bytes(workspace, place)


def test_a_loop_of_links_is_an_error_and_no_hang(root: Path) -> None:
    (root / "one").symlink_to("two")
    (root / "two").symlink_to("one")
    with pytest.raises(OSError, match="symbolic link"):
        content(root, "one")


def test_a_fifo_is_refused_without_waiting_for_a_writer(root: Path) -> None:
    os.mkfifo(root / "pipe")
    with pytest.raises(OSError, match="FIFO"):
        content(root, "pipe")


def test_a_socket_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)  # the address of a socket is short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s")
        with pytest.raises(OSError, match="socket"):
            content(root, "s")


def test_a_device_is_refused() -> None:
    workspace = Workspace("/dev")
    with pytest.raises(OSError, match="device"):
        read_bytes(workspace, workspace.resolve("null"))


def test_a_root_that_is_a_link_takes_paths_in_both_spellings(root: Path) -> None:
    alias = root.parent / "alias"
    alias.symlink_to(root)
    assert content(alias, str(alias / "a.txt")) == b"inside"
    assert content(alias, str(root / "a.txt")) == b"inside"


def test_a_workspace_is_a_directory(root: Path) -> None:
    with pytest.raises(ToolError, match="not a directory"):
        Workspace(root / "a.txt")
