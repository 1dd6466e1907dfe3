"""Indentation carried from the caller's text to the file's, and never guessed."""

from __future__ import annotations

import pytest

from groundwire.tools.matching.indentation import IndentationMap, unit_of


@pytest.mark.parametrize(
    ("pairs", "given", "becomes"),
    [
        ([("", ""), ("  ", "  ")], "      ", "      "),
        ([("", "    ")], "    ", "        "),
        ([("    ", ""), ("        ", "    ")], "            ", "        "),
        ([("    ", "\t"), ("        ", "\t\t")], "            ", "\t\t\t"),
        ([("\t", "    ")], "\t\t", "        "),
        ([("  ", "    "), ("    ", "        ")], "      ", "            "),
        ([("\t", "\t\t")], "\t ", "\t\t "),
    ],
)
def test_new_lines_follow_the_pairs_of_matched_lines(
    pairs: list[tuple[str, str]], given: str, becomes: str
) -> None:
    assert IndentationMap(pairs, {given, *(pair[0] for pair in pairs)}, file_unit=4)[given] == becomes


@pytest.mark.parametrize(
    ("pairs", "given"),
    [
        ([("", "    "), ("", "        ")], ""),
        ([("    ", "        ")], "      "),
        ([("    ", "")], "  "),
        ([("  ", "\t"), ("      ", "\t\t")], "    "),
    ],
)
def test_what_the_pairs_do_not_say_is_not_known(pairs: list[tuple[str, str]], given: str) -> None:
    assert IndentationMap(pairs, {given}, file_unit=4)[given] is None


def test_the_unit_of_a_text_is_its_most_frequent_step() -> None:
    assert unit_of(["a", "  b", "", "    c", "d", "    e"]) == 2
    assert unit_of(["a", "\tb"]) == 1
    assert unit_of(["a", "b"]) is None
