"""Finding the block for one client in what the emulator prints."""

from __future__ import annotations

import pytest

from conformance.pasting import block_below

PRINTED = (
    "# Paste one of these.\n\n# Codex\nexport A=1\ncodex exec hello\n\n# openai (Python)\npython -c 1\n\n"
)


def test_a_block_ends_where_the_next_one_begins() -> None:
    assert block_below("Codex", PRINTED) == "export A=1\ncodex exec hello\n\n"


def test_the_last_block_ends_with_the_text() -> None:
    assert block_below("openai (Python)", PRINTED).strip() == "python -c 1"


def test_a_client_that_has_no_block_is_an_error() -> None:
    with pytest.raises(LookupError, match="no block for Gemini"):
        block_below("Gemini", PRINTED)
