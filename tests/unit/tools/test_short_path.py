"""Shortened paths, as Gemini CLI shortens them."""

from __future__ import annotations

import pytest

from groundwire.tools.short_path import short_path


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("a/b.txt", "a/b.txt"),
        (
            "nope/averyveryverylongdirectoryname/another/one/here/deep.txt",
            "nope/.../another/one/here/deep.txt",
        ),
        ("a" * 40, "a" * 16 + "..." + "a" * 16),
    ],
)
def test_a_path_is_shortened(path: str, shown: str) -> None:
    assert short_path(path) == shown
    assert len(shown) <= 35
