"""Foreign text on a terminal: nothing in it can move the cursor, change the title or lie about its order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.cli.printable import printable, printable_json


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain\n\ttext", "plain\n\ttext"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("a\x1b[2Jb", "ab"),
        ("a\x9b2Jb", "ab"),
        ("a\x1bcb", "ab"),
        ("a\x1bPq#0\x1b\\b", "ab"),
        ("a\rb\x08\x7f\x00", "ab"),
        ("line\r\nline", "line\nline"),
        ("user\u202etxt.exe", "usertxt.exe"),
        ("unfinished \x1b[", "unfinished "),
        ("unfinished \x1b]0;title", "unfinished "),
        ("北京 😀 é", "北京 😀 é"),
    ],
)
def test_only_the_words_are_left(text: str, expected: str) -> None:
    assert printable(text) == expected


@given(st.text(st.characters(), max_size=80))
def test_no_control_character_survives(text: str) -> None:
    assert not [c for c in printable(text) if (ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0]


def test_json_keeps_what_it_says_but_escapes_what_a_terminal_would_obey() -> None:
    assert printable_json('"a\x9b\u202eé"') == '"a\\u009b\\u202eé"'
