"""A word found without ripgrep: the same lines as ripgrep finds, and ripgrep where it is not that simple."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.tools import common_word, content_search, grep_search
from groundwire.tools.toolset import toolset
from groundwire.workspace.boundary import HANDLES

pytestmark = pytest.mark.skipif(not HANDLES, reason="needs directory handles")

NAMES = ("a.txt", "b/c.txt", "b/d.log", "dist/e.txt", "b/dist", "é.txt", "b/z/y.txt", ".env", "x-y/a", "x/a")
LINES = (
    b"task one",
    b"a TASK\r",
    b"nothing",
    b"",
    b"task task",
    b"caf\xe9 task",
    "taſK".encode(),
    b"ta\0sk task",
    b"z" * 9000 + b" task",
    b"task " + "é".encode() * 5000,
)
RULES = (
    ("b/.gitignore", b"c.txt\n"),
    (".gitignore", b"z/\n"),
    ("b/.ignore", b"c.txt\n"),
    (".rgignore", b"x\n"),
)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(common_word, "MOST_SECONDS", 60.0)
    monkeypatch.setattr(common_word, "WORTH_TRYING", ())


def search(root: str | Path, **arguments: Any) -> dict[str, Any]:
    return toolset(root).call_now("grep_search", arguments).to_json()


@pytest.fixture
def no_ripgrep(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("ripgrep was started")

    monkeypatch.setattr(content_search, "search", refuse)


def put(root: str | Path, path: str, data: bytes) -> None:
    target = Path(root) / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)


@settings(max_examples=100, deadline=None)
@given(
    files=st.dictionaries(
        st.sampled_from(NAMES), st.lists(st.sampled_from(LINES), max_size=4).map(b"\n".join), max_size=6
    ),
    mark=st.sampled_from((b"", b"", b"\xef\xbb\xbf", b"\xff\xfe")),
    rules=st.sets(st.sampled_from(RULES), max_size=2),
    repository=st.sampled_from(("", "", ".git", "b/.git")),
    most=st.integers(1, 6),
    more=st.fixed_dictionaries(
        {
            "pattern": st.sampled_from(("task", "task", "task ", "k t", "nothing", "=", "k.t", "af")),
            "case_sensitive": st.booleans(),
        },
        optional={
            "include_pattern": st.sampled_from(
                ("*.txt", "a.txt", "c.txt", "*", "b/*", "*.{txt,log}", "*.log")
            ),
            "fixed_strings": st.booleans(),
            "dir_path": st.sampled_from(("b", ".")),
            "max_matches_per_file": st.integers(1, 2),
        },
    ),
)
def test_the_lines_are_those_that_ripgrep_finds(
    files: dict[str, bytes],
    mark: bytes,
    rules: set[tuple[str, bytes]],
    repository: str,
    most: int,
    more: dict[str, Any],
) -> None:
    with tempfile.TemporaryDirectory() as root:
        for path, data in files.items():
            put(root, path, mark + data if path == "b/c.txt" else data)
        for path, data in rules:
            put(root, path, data)
        if repository:
            (Path(root) / repository).mkdir(parents=True, exist_ok=True)
        asked = {"total_max_matches": most, **more}
        found = search(root, **asked)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(grep_search, "first_lines", lambda *_: None)
            patch.setattr(grep_search, "lines_around", lambda *_: None)
            assert found == search(root, **asked)


@pytest.mark.usefixtures("no_ripgrep")
def test_a_common_word_is_found_without_ripgrep(tmp_path: Path) -> None:
    put(tmp_path, "b.txt", b"one word\n" * 5)
    put(tmp_path, "a/c.txt", b"no\nWord\n")
    assert search(tmp_path, pattern="word", total_max_matches=4)["llmContent"] == (
        'Found 4 matches for pattern "word" in path "." (results limited to 4 matches for performance):\n'
        "---\nFile: a/c.txt\nL2: Word\n---\nFile: b.txt\nL1: one word\nL2: one word\nL3: one word\n---"
    )


@pytest.mark.usefixtures("no_ripgrep")
@pytest.mark.parametrize(
    "more",
    [
        {"pattern": "wor."},
        {"pattern": "word", "include_pattern": "b/*.txt"},
        {"pattern": "word", "no_ignore": True},
        {"pattern": "word", "context": 1},
        {"pattern": "word", "exclude_pattern": "one"},
        {"pattern": "wörd"},
    ],
)
def test_other_searches_are_left_to_ripgrep(tmp_path: Path, more: dict[str, Any]) -> None:
    put(tmp_path, "b.txt", b"one word\n" * 3)
    with pytest.raises(AssertionError, match="ripgrep was started"):
        search(tmp_path, total_max_matches=2, **more)


@pytest.mark.usefixtures("no_ripgrep")
@pytest.mark.parametrize("pattern", ["rare = 1", "rare", "none"])
def test_where_there_are_few_files_ripgrep_is_not_needed(tmp_path: Path, pattern: str) -> None:
    put(tmp_path, "a.txt", b"rare\n")
    put(tmp_path, "b/c.py", b"one\n" * 3 + b"RARE = 1\n" + b"two\n" * 20)
    told = search(tmp_path, pattern=pattern, include_pattern="*.py")["llmContent"]
    assert ("L4: RARE = 1" in told) == (pattern != "none")
    assert ("L3- one" in told, "L19- two" in told, "L20- two" in told) == (pattern != "none",) * 3


def test_where_there_are_many_files_a_rare_word_is_left_to_ripgrep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(common_word, "WORTH_TRYING", ((0.10, -1.0),))
    put(tmp_path, "a.txt", b"rare\n")
    monkeypatch.setattr(content_search, "search", lambda *_, **__: (_ for _ in ()))
    assert search(tmp_path, pattern="rare")["llmContent"].startswith("No matches found")


def test_links_and_special_files_are_not_read(tmp_path: Path) -> None:
    put(tmp_path, "outside/b.txt", b"word\n" * 9)
    put(tmp_path, "root/z.txt", b"word\n" * 9)
    (tmp_path / "root/a").symlink_to("../outside")
    (tmp_path / "root/b.txt").symlink_to("../outside/b.txt")
    os.mkfifo(tmp_path / "root/c.txt")
    matches = search(tmp_path / "root", pattern="word", total_max_matches=3)["returnDisplay"]["matches"]
    assert {match["filePath"] for match in matches} == {"z.txt"}


@pytest.mark.parametrize("zero", [0, 100, 65_535, 65_536, 70_000])
def test_a_zero_byte_hides_what_ripgrep_hides(tmp_path: Path, zero: int) -> None:
    data = bytearray(b"a word\n" + b"padding\n" * 10_000)
    data[zero] = 0
    put(tmp_path, "a.bin", bytes(data))
    put(tmp_path, "b.txt", b"word\n" * 9)
    found = search(tmp_path, pattern="word", total_max_matches=4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grep_search, "first_lines", lambda *_: None)
        assert found == search(tmp_path, pattern="word", total_max_matches=4)


@pytest.mark.usefixtures("no_ripgrep")
def test_a_file_with_a_byte_order_mark_and_a_binary_one_do_not_need_ripgrep(tmp_path: Path) -> None:
    put(tmp_path, "a.txt", b"\xef\xbb\xbfword one\n")
    put(tmp_path, "b.bin", b"word\0\n")
    put(tmp_path, "c.txt", b"word two\n" * 9)
    matches = search(tmp_path, pattern="word", total_max_matches=4)["returnDisplay"]["matches"]
    assert [match["line"] for match in matches] == ["word one", *["word two"] * 3]
