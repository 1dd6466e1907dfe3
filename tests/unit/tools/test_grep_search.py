"""grep_search: matches, context, limits, engines, and nothing that could become an option."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from groundwire.tools import content_search, ripgrep
from groundwire.tools.base import Dialect, ToolResult
from groundwire.tools.toolset import toolset


def search(root: Path, dialect: Dialect = Dialect.CURRENT, **arguments: Any) -> ToolResult:
    name = "search_file_content" if dialect is Dialect.CLASSIC else "grep_search"
    return toolset(root, dialect=dialect).call_now(name, arguments)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "src" / "deep").mkdir(parents=True)
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n", encoding="utf-8")
    (tmp_path / "src" / "b.py").write_text("two = 2\nTWO = 2\n", encoding="utf-8")
    (tmp_path / "src" / "deep" / "c.py").write_text("two\n" * 3, encoding="utf-8")
    return tmp_path


def test_directories_of_built_things_are_left_out_and_files_of_that_name_are_not(root: Path) -> None:
    for folder in ("build", "src/dist", "src/node_modules/x"):
        (root / folder).mkdir(parents=True)
        (root / folder / "made.txt").write_text("two\n", encoding="utf-8")
    (root / "src" / "deep" / "build").write_text("two\n", encoding="utf-8")
    found = {match["filePath"] for match in search(root, pattern="two").return_display["matches"]}
    assert found == {"a.txt", "src/b.py", "src/deep/build", "src/deep/c.py"}


def test_a_file_of_any_size_is_searched(root: Path) -> None:
    with (root / "large.txt").open("wb") as large:
        for _ in range(300):
            large.write((b"a line of a text\n" * 61_681)[: 1024 * 1024 - 1] + b"\n")
        large.write(b"unusual\n")
    result = search(root, pattern="unusual", context=0)
    assert "File: large.txt" in result.llm_content
    assert "left out" not in result.llm_content


@pytest.mark.skipif(sys.platform != "linux", reason="ripgrep's memory is bounded on Linux only")
@pytest.mark.parametrize("dialect", [Dialect.CURRENT, Dialect.CLASSIC])
@pytest.mark.parametrize("pattern", ["two", "three", "absent"])
def test_a_file_that_keeps_a_search_from_its_end_is_left_out_and_that_is_said(
    root: Path, monkeypatch: pytest.MonkeyPatch, dialect: Dialect, pattern: str
) -> None:
    without = search(root, dialect, pattern=pattern).llm_content
    monkeypatch.setattr(ripgrep, "MOST_MEMORY", 48 * 1024 * 1024)
    monkeypatch.setattr(content_search, "WITHOUT_LARGE_FILES", ("--max-filesize=2M",))
    (root / "line.txt").write_bytes(b"x" * 100 * 1024 * 1024)
    assert search(root, dialect, pattern=pattern).llm_content == without + (
        "\n(Files larger than 256MB were left out: they took too much time or memory. "
        "Name such a file as the path to search it.)"
    )


def test_large_files_are_given_up_before_the_time_is_over(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[tuple[bool, float]] = []

    def slow(folder: str, options: list[str], paths: list[str], **how: Any) -> Iterator[ripgrep.Line]:
        large = not any(option.startswith("--max-filesize") for option in options)
        tried.append((large, how["deadline"] - time.monotonic()))
        if large:
            raise ripgrep.RipgrepTimedOut("The search took too long.")
        yield ripgrep.Line("a.txt", 2, "two", is_context=False)

    monkeypatch.setattr(content_search, "search", slow)
    result = search(root, pattern="two|2", context=0)
    assert "L2: two" in result.llm_content
    assert "left out" in result.llm_content
    (first, most), (second, rest) = tried
    assert (first, second) == (True, False)
    assert 15 < most < 20.1
    assert 25 < rest < 30.1


@pytest.mark.skipif(sys.platform != "linux", reason="ripgrep's memory is bounded on Linux only")
def test_a_line_that_needs_too_much_memory_is_an_error_that_says_so(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ripgrep, "MOST_MEMORY", 48 * 1024 * 1024)
    (root / "line.txt").write_bytes(b"x" * 100 * 1024 * 1024)
    error = search(root, pattern="needle", dir_path="line.txt").error
    assert error is not None
    assert "a line there is too long to be searched" in error.message


def test_matches_are_told_file_by_file_in_the_order_of_paths(root: Path) -> None:
    result = search(root, pattern="two")
    assert result.llm_content == (
        'Found 6 matches for pattern "two" in path ".":\n---\nFile: a.txt\nL2: two\n---\n'
        "File: src/b.py\nL1: two = 2\nL2: TWO = 2\n---\nFile: src/deep/c.py\nL1: two\nL2: two\nL3: two\n---"
    )
    assert result.return_display["summary"] == "Found 6 matches"
    assert result.return_display["matches"][0] == {
        "filePath": "a.txt",
        "absolutePath": f"{root}/a.txt",
        "lineNumber": 2,
        "line": "two",
    }


def test_a_single_match_comes_with_the_lines_around_it(root: Path) -> None:
    assert search(root, pattern="three").llm_content == (
        'Found 1 match for pattern "three" in path ".":\n---\nFile: a.txt\nL1- one\nL2- two\nL3: three\n---'
    )
    assert "L2-" not in search(root, pattern="three", context=0).llm_content


def test_names_only_lists_files(root: Path) -> None:
    assert search(root, pattern="two", names_only=True).llm_content == (
        'Found 3 files with matches for pattern "two" in path ".":\na.txt\nsrc/b.py\nsrc/deep/c.py'
    )


def test_more_matches_than_asked_for_are_cut_off_and_said(root: Path) -> None:
    result = search(root, pattern="two", total_max_matches=4)
    assert result.llm_content.startswith(
        'Found 4 matches for pattern "two" in path "." (results limited to 4 matches for performance):'
    )
    assert "(results limited" not in search(root, pattern="two", total_max_matches=6).llm_content


def test_nothing_found_says_where_and_with_which_filter(root: Path) -> None:
    assert search(root, pattern="zzz", dir_path="src", include_pattern="*.py").llm_content == (
        'No matches found for pattern "zzz" in path "src" (filter: "*.py").'
    )


@pytest.mark.parametrize(
    ("arguments", "files"),
    [
        ({"include_pattern": "*.py"}, ["src/b.py", "src/deep/c.py"]),
        ({"include_pattern": "src/*.py"}, ["src/b.py"]),
        ({"dir_path": "src", "include_pattern": "deep/**"}, ["deep/c.py"]),
        ({"dir_path": "src", "include_pattern": "src/deep/**"}, ["deep/c.py"]),
        ({"dir_path": "a.txt"}, ["a.txt"]),
        ({"exclude_pattern": "= 2$"}, ["a.txt", "src/deep/c.py"]),
        ({"case_sensitive": True, "fixed_strings": True}, ["a.txt", "src/b.py", "src/deep/c.py"]),
    ],
)
def test_a_search_can_be_narrowed(root: Path, arguments: dict[str, Any], files: list[str]) -> None:
    matches = search(root, pattern="two", **arguments).return_display["matches"]
    assert sorted({match["filePath"] for match in matches}) == files


@pytest.mark.parametrize("pattern", ["--pre=sh", "-> None", "-e", "--files", "-"])
def test_a_pattern_is_never_an_option(root: Path, pattern: str) -> None:
    (root / "arrow.py").write_text(f"def f() {pattern}:\n", encoding="utf-8")
    (root / "script.txt").write_text("touch PWNED\n", encoding="utf-8")
    result = search(root, pattern=pattern, fixed_strings=True, include_pattern="*.py", context=0)
    assert [match["filePath"] for match in result.return_display["matches"]] == ["arrow.py"]
    assert not (root / "PWNED").exists()


@pytest.mark.parametrize("value", ["--pre=sh", "-e", "--no-ignore"])
def test_a_filter_is_never_an_option(root: Path, value: str) -> None:
    assert search(root, pattern="two", include_pattern=value).return_display["matches"] == []
    assert search(root, pattern="two", exclude_pattern=value).return_display["matches"] != []


@pytest.mark.parametrize(
    ("pattern", "line"),
    [(r"two(?= = )", 1), (r"\p{Lu}WO", 2), (r"(?i)TWO = 2", 1), (r"(?P<n>two) =", 1), ("2\nTWO", 1)],
)
def test_a_pattern_is_judged_by_the_engine_that_runs_it(root: Path, pattern: str, line: int) -> None:
    arguments: dict[str, Any] = {"dir_path": "src/b.py", "case_sensitive": True, "context": 0}
    assert search(root, pattern=pattern, **arguments).return_display["matches"][0]["lineNumber"] == line


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [("(", "Unterminated group"), ("[a", "Unterminated character class"), (")", "Unmatched ')'")],
)
def test_a_broken_pattern_is_refused_in_the_words_models_know(root: Path, pattern: str, reason: str) -> None:
    error = search(root, pattern=pattern).error
    assert error is not None
    assert (error.message, error.type) == (
        f"Invalid regular expression pattern provided: {pattern}. "
        f"Error: Invalid regular expression: /{pattern}/: {reason}",
        "invalid_tool_params",
    )
    excluded = search(root, pattern="two", exclude_pattern=pattern).error
    assert excluded is not None
    assert excluded.message.startswith("Invalid exclude regular expression pattern provided:")


def test_a_pattern_that_would_run_away_elsewhere_ends(root: Path) -> None:
    (root / "a.txt").write_text("a" * 5000 + "!\n", encoding="utf-8")
    assert search(root, pattern="(a+)+$").return_display["summary"] == "No matches found"
    assert search(root, pattern="a!", exclude_pattern="(a+)+$").return_display["summary"] == "Found 1 match"


def test_ignored_and_protected_files_are_not_searched(root: Path) -> None:
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("two\n", encoding="utf-8")
    (root / ".env").write_text("two\n", encoding="utf-8")
    (root / ".gitignore").write_text("a.txt\n", encoding="utf-8")
    (root / ".geminiignore").write_text("deep\n", encoding="utf-8")
    (root / ".github").mkdir()
    (root / ".github" / "ci.yml").write_text("two\n", encoding="utf-8")
    found = search(root, pattern="two", names_only=True).llm_content
    assert found.split("\n")[1:] == [".github/ci.yml", "src/b.py"]
    everything = search(root, pattern="two", names_only=True, no_ignore=True).llm_content
    assert everything.split("\n")[1:] == [".github/ci.yml", "a.txt", "src/b.py", "src/deep/c.py"]


def test_a_line_that_is_not_utf_8_is_found(root: Path) -> None:
    (root / "latin.txt").write_bytes(b"caf\xe9 cr\xe8me\n")
    assert "L1: café crème" in search(root, pattern="caf").llm_content


def test_a_huge_line_costs_little(root: Path) -> None:
    (root / "huge.txt").write_bytes(b"needle " + b"x" * 30_000_000)
    text = search(root, pattern="needle").llm_content
    assert text.endswith("x... [truncated]\n---")
    assert len(text) < 2500


def test_a_fifo_in_the_tree_does_not_stop_the_search(root: Path) -> None:
    os.mkfifo(root / "pipe")
    assert search(root, pattern="three").return_display["summary"] == "Found 1 match"
    error = search(root, pattern="three", dir_path="pipe").error
    assert error is not None
    assert error.message == f"Path is not a valid directory or file: {root}/pipe"


def test_a_search_that_takes_too_long_is_stopped_and_said(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groundwire.tools.grep_search.TIMEOUT_SECONDS", -1.0)
    monkeypatch.setattr("groundwire.tools.ripgrep.ripgrep_path", lambda: "/bin/cat")
    monkeypatch.setattr("groundwire.tools.ripgrep._OUTPUT", ())
    monkeypatch.setattr("groundwire.tools.ripgrep.Query.options", lambda self: [])
    os.mkfifo(root / "pipe")
    monkeypatch.setattr("groundwire.tools.grep_search._file_options", lambda *_, **__: ["--", "pipe"])
    result = search(root, pattern="x.")
    assert result.error is not None
    assert result.error.type == "grep_execution_error"
    assert "Operation timed out after" in result.error.message


def test_the_older_name_still_calls_it(root: Path) -> None:
    assert toolset(root).call_now("search_file_content", {"pattern": "three"}).error is None


def test_the_classic_dialect_trims_lines_and_adds_no_context(root: Path) -> None:
    (root / "a.txt").write_text("one\n  three  \n", encoding="utf-8")
    result = search(root, Dialect.CLASSIC, pattern="three", path=str(root), include="*.txt")
    assert result.llm_content == (
        f'Found 1 match for pattern "three" in path "{root}" (filter: "*.txt"):\n---\nFile: a.txt\n'
        "L2: three\n---"
    )
    assert result.return_display == "Found 1 match"
