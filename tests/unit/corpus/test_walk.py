"""A folder is walked without following links, and what is left out is counted."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from groundwire.corpus.walk import walk


def test_documents_are_found_in_a_stable_order(tmp_path: Path) -> None:
    for name in ("b.md", "a/x.TXT", "a/deep/y.html", "README"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("text", encoding="utf-8")
    found = walk(tmp_path)
    names = [each.path.relative_to(tmp_path).as_posix() for each in found.files]
    assert names == ["README", "b.md", "a/x.TXT", "a/deep/y.html"]
    assert not found.left_out


def test_what_is_no_document_is_counted(tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"x")
    (tmp_path / ".hidden.md").write_bytes(b"x")
    (tmp_path / ".git").mkdir()
    (tmp_path / "node_modules").mkdir()
    found = walk(tmp_path)
    assert found.files == []
    assert found.left_out == {"other kind of file": 1, "hidden": 2, "dependency folder": 1}


@pytest.mark.skipif(sys.platform == "win32", reason="making links needs a privilege on Windows")
def test_links_are_not_followed_in_circles_or_out_of_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "secret.md").write_text("secret", encoding="utf-8")
    (folder / "out.md").symlink_to(tmp_path / "secret.md")
    (folder / "round").symlink_to(folder)
    (folder / "self").symlink_to(folder / "self")
    (folder / "broken.md").symlink_to(folder / "nowhere.md")
    found = walk(folder)
    assert found.files == []
    assert found.left_out == {"symbolic link": 4}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    assert walk(tmp_path).left_out == {"not a file": 1}


def test_a_folder_that_vanished_is_counted(tmp_path: Path) -> None:
    assert walk(tmp_path / "gone").left_out == {"unreadable folder": 1}
