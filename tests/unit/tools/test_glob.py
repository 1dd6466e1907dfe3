"""glob: patterns, order, what is ignored, and that nothing outside is listed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from groundwire.tools import finding
from groundwire.tools.base import Dialect, ToolResult
from groundwire.tools.glob_pattern import Glob
from groundwire.tools.toolset import toolset


def find(root: Path, dialect: Dialect = Dialect.CURRENT, **arguments: Any) -> ToolResult:
    return toolset(root, dialect=dialect).call_now("glob", arguments)


def names(root: Path, **arguments: Any) -> list[str]:
    content: str = find(root, **arguments).llm_content
    lines = content.split("\n")[1:]
    return sorted(os.path.relpath(line, root) for line in lines)


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("**/*.js", "a.js", True),
        ("**/*.js", "x/y/a.JS", True),
        ("*.js", "x/a.js", False),
        ("src/**", "src/a/b", True),
        ("src/**", "src", False),
        ("src/**/x", "src/x", True),
        ("**/**/x", "a/x", True),
        ("a/**/b/**/c", "a/1/b/2/3/c", True),
        ("*", ".hidden", True),
        ("**/.*", "x/.y", True),
        ("?.txt", "ab.txt", False),
        ("[!a].txt", "b.txt", True),
        ("[a-c]1", "b1", True),
        ("[", "[", True),
        ("a\\*b", "a*b", True),
        ("a\\*b", "axb", False),
        ("{a,b}.{x,y}", "b.y", True),
        ("f{1..3}", "f2", True),
        ("f{01..10}", "f07", True),
        ("{a}", "{a}", True),
        ("a{b", "a{b", True),
        ("+(a|b).c", "abba.c", True),
        ("@(a|b).c", "ab.c", False),
        ("?(a)b", "b", True),
        ("*(a|b)c", "c", True),
        ("!(a).js", "a.js", False),
        ("!(a).js", "b.js", True),
        ("!(a)*.js", "ab.js", False),
        ("*(a*)b", "a" * 100 + "c", False),
        ("+(a|aa)+(a|aa)b", "a" * 200, False),
        ("*a*a*a*a*a*a*b", "a" * 200, False),
        ("./a.txt", "a.txt", True),
        ("!*.py", "a.txt", False),
        ("#x", "#x", True),
        ("x/", "x", False),
    ],
)
def test_a_pattern_matches_what_it_says(pattern: str, path: str, matches: bool) -> None:
    assert Glob([pattern], ignore_case=True).matches(path) is matches


def test_patterns_that_are_matched_together_do_not_leak_into_each_other() -> None:
    together = Glob(["*.md", "**/*.txt"], ignore_case=True)
    assert together.matches("a.md")
    assert together.matches("x/a.txt")
    assert not together.matches("x/a.md")


def test_files_of_the_last_day_come_first_then_names(tmp_path: Path) -> None:
    for name, age in (("old_b", 9e6), ("new_a", 60), ("old_a", 8e6), ("new_b", 10)):
        (tmp_path / name).write_bytes(b"")
        moment = (tmp_path / name).stat().st_mtime - age
        os.utime(tmp_path / name, (moment, moment))
    assert find(tmp_path, pattern="*").llm_content == (
        f'Found 4 file(s) matching "*" within {tmp_path}, sorted by modification time (newest first):\n'
        + "\n".join(f"{tmp_path}/{name}" for name in ("new_b", "new_a", "old_a", "old_b"))
    )
    classic = find(tmp_path, Dialect.CLASSIC, pattern="*").llm_content
    assert [line.rpartition("/")[2] for line in classic.split("\n")[1:]] == [
        "new_b",
        "new_a",
        "old_a",
        "old_b",
    ]


def test_ignored_files_are_counted_and_dependencies_are_not(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("out/\n", encoding="utf-8")
    for folder in ("out", "node_modules", "src"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.js").write_bytes(b"")
    result = find(tmp_path, pattern="**/*.js")
    assert result.llm_content.startswith(
        f'Found 1 file(s) matching "**/*.js" within {tmp_path} (1 additional files were ignored), sorted'
    )
    assert names(tmp_path, pattern="**/*.js", respect_git_ignore=False) == ["out/a.js", "src/a.js"]


@pytest.mark.parametrize(
    ("folders", "files", "note"),
    [
        (1, 8, " (8 additional files were ignored)"),
        (1, 9, " (9 additional files were ignored)"),
        (1, 30, " (more than 9 additional files were ignored)"),
        (30, 1, None),
    ],
)
def test_a_large_ignored_folder_is_not_searched_to_its_end_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folders: int, files: int, note: str | None
) -> None:
    monkeypatch.setattr(finding, "MOST_IGNORED", 10)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("out*/\n", encoding="utf-8")
    (tmp_path / "a.js").write_bytes(b"")
    for folder in range(folders):
        (tmp_path / f"out{folder}").mkdir()
        for file in range(files):
            (tmp_path / f"out{folder}" / f"{file}.js").write_bytes(b"")
    told = find(tmp_path, pattern="**/*.js").llm_content
    assert told.startswith('Found 1 file(s) matching "**/*.js"')
    if note is not None:
        assert f"within {tmp_path}{note}, sorted" in told
    else:
        assert " (more than 5 additional files were ignored), sorted" in told
    assert len(names(tmp_path, pattern="**/*.js", respect_git_ignore=False)) == 1 + folders * files


def test_nothing_found_beside_a_large_ignored_folder_says_what_was_not_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "MOST_IGNORED", 1)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("out/\n", encoding="utf-8")
    (tmp_path / "out" / "deeper").mkdir(parents=True)
    (tmp_path / "out" / "deeper" / "a.js").write_bytes(b"")
    assert find(tmp_path, pattern="**/*.js").llm_content.endswith(
        " (an unknown number of files were ignored)"
    )


def test_a_name_that_looks_like_a_pattern_is_found_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "app" / "[slug]").mkdir(parents=True)
    (tmp_path / "app" / "[slug]" / "page.tsx").write_bytes(b"")
    assert names(tmp_path, pattern="app/[slug]/page.tsx") == ["app/[slug]/page.tsx"]


@pytest.mark.parametrize("pattern", ["../*", "/etc/*", "x/../../*", "**/../../*"])
def test_a_pattern_that_points_outside_finds_nothing(tmp_path: Path, pattern: str) -> None:
    (tmp_path / "secret").write_bytes(b"")
    (tmp_path / "root").mkdir()
    assert find(tmp_path / "root", pattern=pattern).return_display == "No files found"


def test_an_absolute_pattern_inside_the_root_works(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"")
    assert names(tmp_path, pattern=f"{tmp_path}/*.txt") == ["a.txt"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"pattern": " "}, "The 'pattern' parameter cannot be empty."),
        ({"pattern": "*", "dir_path": "no"}, "Search path does not exist {root}/no"),
        ({"pattern": "*", "dir_path": "a.txt"}, "Search path is not a directory: {root}/a.txt"),
    ],
)
def test_what_cannot_be_searched_is_named(tmp_path: Path, arguments: dict[str, Any], message: str) -> None:
    (tmp_path / "a.txt").write_bytes(b"")
    error = find(tmp_path, **arguments).error
    assert error is not None
    assert error.message == message.format(root=tmp_path)


def test_a_search_of_more_files_than_anyone_reads_stops_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "MOST_FOUND", 3)
    for number in range(10):
        (tmp_path / f"{number}.txt").touch()
    text = find(tmp_path, pattern="*.txt").llm_content
    assert text.startswith("Found 3 file(s)")
    assert text.endswith("(The search stopped after 3 files. Use a narrower pattern.)")
