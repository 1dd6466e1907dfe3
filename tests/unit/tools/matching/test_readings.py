"""Readings of an old and a new string: decoration is taken off only where it is throughout."""

from __future__ import annotations

import pytest

from groundwire.tools.matching.readings import readings


def others(old: str, new: str) -> list[tuple[str, str]]:
    """Every reading but the literal one."""
    first, *rest = readings(old, new)
    assert (first.old, first.new) == (old, new)
    return [(reading.old, reading.new) for reading in rest]


@pytest.mark.parametrize(
    ("old", "new", "meant"),
    [
        ("```py\nx\n```", "```py\ny\n```", ("x", "y")),
        ("~~~\nx\n~~~\n", "y", ("x", "y")),
        ("9: x\n10:   y", "9: x\n10:   z\nnew", ("x\n  y", "x\n  z\nnew")),
        (" 9 | x\n10 |\n11 | y", " 9 | x", ("x\n\ny", "x")),
        ("```\n1\tx\n2\ty\n```", "```\n1\tz\n```", ("x\ny", "z")),
        ("a\\n\\tb", "a\\nc", ("a\n\tb", "a\nc")),
        ('say(\\"a\\")', 'say(\\"b\\")', ('say("a")', 'say("b")')),
        ("re.sub('\\\\\\\\d', x)", "re.sub('\\\\\\\\w', x)", ("re.sub('\\\\d', x)", "re.sub('\\\\w', x)")),
        ("a &lt; b &amp;&amp; c", "a &gt; b", ("a < b && c", "a > b")),
    ],
)
def test_decoration_is_taken_off(old: str, new: str, meant: tuple[str, str]) -> None:
    assert meant in others(old, new)


@pytest.mark.parametrize(
    "old",
    [
        "x = 1",
        "```py\nx",
        "1: x\n3: y",
        "1: x\ny",
        "a < b &lt; c",
        "print(\"a\\n\")\nprint('b')",
    ],
)
def test_what_is_not_decorated_throughout_has_one_reading(old: str) -> None:
    assert others(old, "new") == []
