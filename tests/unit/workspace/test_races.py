"""Links put in place in the middle of a call: whatever the moment, nothing outside is read or written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from groundwire.tools import content_search
from groundwire.tools.ripgrep import Line
from groundwire.tools.toolset import toolset


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "a.txt").write_text("inside", encoding="utf-8")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.txt").write_text("secret", encoding="utf-8")
    return folder


def swap_before(monkeypatch: pytest.MonkeyPatch, root: Path, what: str, when: str) -> None:
    """Replace `what` by a link to its namesake outside, the moment `when` is about to be opened."""
    real_open = os.open

    def swapping(path: Any, *arguments: Any, **options: Any) -> int:
        if path == when and not (root / what).is_symlink():
            (root / what).rename(root / "moved")
            outside = "../outside" if what == "sub" else "../../outside/a.txt"
            (root / what).symlink_to(outside)
        return real_open(path, *arguments, **options)

    monkeypatch.setattr(os, "open", swapping)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read_file", {"file_path": "sub/a.txt"}),
        ("read_many_files", {"include": ["**/*.txt"]}),
        ("list_directory", {"dir_path": "sub"}),
        ("glob", {"pattern": "sub/*.txt"}),
        ("write_file", {"file_path": "sub/a.txt", "content": "new"}),
        ("write_file", {"file_path": "sub/new.txt", "content": "new"}),
    ],
)
def test_a_directory_that_becomes_a_link_leads_nowhere(
    root: Path, monkeypatch: pytest.MonkeyPatch, tool: str, arguments: dict[str, Any]
) -> None:
    swap_before(monkeypatch, root, "sub", "sub")
    result = toolset(root).call_now(tool, arguments)
    assert "secret" not in str(result)
    assert os.listdir(root.parent / "outside") == ["a.txt"]
    assert (root.parent / "outside" / "a.txt").read_text(encoding="utf-8") == "secret"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("read_file", {"file_path": "sub/a.txt"}), ("write_file", {"file_path": "sub/a.txt", "content": "new"})],
)
def test_a_file_that_becomes_a_link_is_not_followed(
    root: Path, monkeypatch: pytest.MonkeyPatch, tool: str, arguments: dict[str, Any]
) -> None:
    swap_before(monkeypatch, root, "sub/a.txt", "a.txt")
    result = toolset(root).call_now(tool, arguments)
    assert "secret" not in str(result)
    assert (root.parent / "outside" / "a.txt").read_text(encoding="utf-8") == "secret"


def test_a_temporary_file_cannot_be_guessed_or_waited_for(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "urandom", bytes)
    (root / "sub" / ".groundwire-0000000000000000.tmp").symlink_to("../../outside/a.txt")
    result = toolset(root).call_now("write_file", {"file_path": "sub/a.txt", "content": "new"})
    assert result.error is not None
    assert (root.parent / "outside" / "a.txt").read_text(encoding="utf-8") == "secret"
    assert (root / "sub" / "a.txt").read_text(encoding="utf-8") == "inside"


def test_what_ripgrep_finds_behind_a_link_is_not_shown(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # As if `sub` had been a directory when ripgrep listed it and a link when it opened it.
    (root / "sub").rename(root / "moved")
    (root / "sub").symlink_to("../outside")
    found = [
        Line("sub/a.txt", 1, "secret", is_context=False),
        Line("moved/a.txt", 1, "inside", is_context=False),
    ]
    monkeypatch.setattr(content_search, "search", lambda *_, **__: (line for line in found))
    result = toolset(root).call_now("grep_search", {"pattern": "s", "context": 0})
    assert [match["filePath"] for match in result.return_display["matches"]] == ["moved/a.txt"]
