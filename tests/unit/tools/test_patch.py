"""What is shown of a change: patches that apply, numbers that add up, snippets as Gemini CLI cuts them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.tools.diff import split_lines
from groundwire.tools.patch import Change, is_build_file

texts = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "d\n", "\n", "e"]), max_size=40).map("".join)


def applied(old: str, patch: str) -> str:
    """`patch` applied to `old` the way any patch program does it."""
    source, result, at = split_lines(old), [], 0
    hunks = re.split(r"^@@ -(\d+),(\d+) \+\d+,\d+ @@\n", patch, flags=re.MULTILINE)[1:]
    for start, count, body in zip(hunks[::3], hunks[1::3], hunks[2::3], strict=True):
        first = int(start) - (int(count) > 0)
        result += source[at:first]
        at = first
        shown = body.split("\n")[:-1]
        for line, following in zip(shown, [*shown[1:], ""], strict=True):
            text = line[1:] + ("" if following.startswith("\\") else "\n")
            if line[0] in " -":
                assert source[at] == text
                at += 1
            if line[0] in " +":
                result.append(text)
    return "".join(result + source[at:])


@given(texts, texts)
def test_a_patch_applied_to_the_old_text_gives_the_new_text(old: str, new: str) -> None:
    assert applied(old, Change(old, new).unified("f")) == new


def test_a_patch_has_the_form_of_jsdiff() -> None:
    assert Change("one\ntwo\n", "one\n2").unified("f.txt") == (
        "Index: f.txt\n"
        "===================================================================\n"
        "--- f.txt\tCurrent\n"
        "+++ f.txt\tProposed\n"
        "@@ -1,2 +1,2 @@\n one\n-two\n+2\n\\ No newline at end of file\n"
    )


def test_a_new_file_starts_at_line_zero_of_nothing() -> None:
    assert "@@ -0,0 +1,2 @@\n+a\n+b\n" in Change("", "a\nb\n").unified("f")


def test_the_numbers_count_lines_and_utf16_units() -> None:
    stat = Change("a\nbb\n", "a\n😀c\nd\n").stat()
    assert (stat["model_added_lines"], stat["model_removed_lines"]) == (2, 1)
    assert (stat["model_added_chars"], stat["model_removed_chars"]) == (4, 2)
    assert stat["user_added_lines"] == 0


def test_a_snippet_shows_five_lines_around_each_change() -> None:
    old = "".join(f"{n}\n" for n in range(40))
    new = old.replace("10\n", "ten\n").replace("30\n", "")
    shown = Change(old, new).snippet().split("\n")
    assert shown == [
        "...", "5", "6", "7", "8", "9", "ten", "11", "12", "13", "14", "15",
        "...", "25", "26", "27", "28", "29", "31", "32", "33", "34", "35", "...",
    ]  # fmt: skip


def test_a_snippet_of_a_new_or_unchanged_text_is_the_whole_text() -> None:
    assert Change("", "a\nb\n").snippet() == "a\nb\n"
    assert Change("a\n", "a\n").snippet() == "a\n"


@pytest.mark.parametrize("name", ["Makefile", "package.json", "Dockerfile.dev", "rules.CMAKE"])
def test_files_that_steer_a_build_are_known(name: str) -> None:
    assert is_build_file(name)
    assert not is_build_file("my" + name + ".txt")
