"""Comparing lines: the runs always rebuild both texts, however large or alike they are."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.tools import diff
from groundwire.tools.diff import Kind, blocks, compare, split_lines

few_lines = st.lists(st.sampled_from("abcde"), max_size=14)


def rebuilt(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    """Both sides again, from nothing but the runs (a kept run must be equal on both sides)."""
    before: list[str] = []
    after: list[str] = []
    for run in compare(old, new):
        if run.kind is Kind.KEPT:
            assert old[run.old_start : run.old_end] == new[run.new_start : run.new_end]
        before += old[run.old_start : run.old_end]
        after += new[run.new_start : run.new_end]
    return before, after


@given(few_lines, few_lines)
def test_the_runs_rebuild_both_texts(old: list[str], new: list[str]) -> None:
    assert rebuilt(old, new) == (old, new)


@given(few_lines, few_lines)
@settings(max_examples=60)
def test_the_cheaper_search_rebuilds_both_texts_too(old: list[str], new: list[str]) -> None:
    pairs = diff._patience(old, new)
    assert all(old[x] == new[y] for x, y in pairs)
    assert pairs == sorted(pairs)
    assert len({x for x, _ in pairs}) == len({y for _, y in pairs}) == len(pairs)
    assert [y for _, y in pairs] == sorted(y for _, y in pairs)


def test_thousands_of_different_lines_stay_within_the_budget() -> None:
    old = [f"old {n}" for n in range(8000)] + ["}"] * 300
    new = [f"new {n}" for n in range(8000)] + ["}"] * 280
    assert rebuilt(old, new) == (old, new)
    kept = [run for run in compare(old, new) if run.kind is Kind.KEPT]
    assert sum(run.old_end - run.old_start for run in kept) == 280


def test_a_few_changes_in_a_long_text_are_found_exactly() -> None:
    old = [str(n) for n in range(5000)]
    new = [*old[:100], "x", *old[101:4000], *old[4002:], "end"]
    assert [(b.old_start, b.old_end, b.new_start, b.new_end) for b in blocks(old, new)] == [
        (100, 101, 100, 101),
        (4000, 4002, 4000, 4000),
        (5000, 5000, 4998, 4999),
    ]


def test_only_line_feeds_end_a_line() -> None:
    assert split_lines("a\r\nb\rc\u2028d\n\ne") == ["a\r\n", "b\rc\u2028d\n", "\n", "e"]
    assert split_lines("") == []
    assert split_lines("a\n") == ["a\n"]
