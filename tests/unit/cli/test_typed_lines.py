"""What a person types: entries of one line and of many."""

from __future__ import annotations

import pytest

from groundwire.cli.typed_lines import whole_entry


@pytest.mark.parametrize(
    ("typed", "entry"),
    [
        (["one"], "one"),
        ([""], ""),
        (["one\\", "two"], "one\ntwo"),
        (["one \\", "two\\", "three"], "one \ntwo\nthree"),
        (["one\\"], "one\n"),
        (['"""', "one", "", "  two", '"""'], "one\n\n  two"),
        (['"""', "one\\", ' """ '], "one\\"),
        (['"""', "no end"], "no end"),
        (['say """'], 'say """'),
    ],
)
def test_lines_become_one_entry(typed: list[str], entry: str) -> None:
    prompts = []
    lines = iter(typed)

    def read(prompt: str) -> str:
        prompts.append(prompt)
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    assert whole_entry(read, "> ", ". ") == entry
    assert prompts == ["> ", *[". "] * (len(prompts) - 1)]


def test_the_end_of_the_input_is_told() -> None:
    def read(prompt: str) -> str:
        raise EOFError

    with pytest.raises(EOFError):
        whole_entry(read, "", "")
