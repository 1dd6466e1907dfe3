"""JSON that servers send, read as far as it can be."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.providers.foreign_json import decoded


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b'{"a": "\\ud800"}', {"a": "\ufffd"}),
        (b'{"\\udc80": ["x\\ud83dy", "\\ud83d\\ude42"]}', {"\ufffd": ["x\ufffdy", "🙂"]}),
        (b'{"a": 100000000000000000000000000}', {"a": 10**26}),
        ('{"a": "\\ud800"}', {"a": "\ufffd"}),
    ],
)
def test_what_only_json_itself_allows_is_read_too(body: bytes | str, value: object) -> None:
    assert decoded(body) == value
    msgspec.json.encode(decoded(body))


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b'{"a": NaN}', b"{'a': 1}", b'{"a": ' * 100_000, b"9" * 5000, b"\xff\xfe{"]
)
def test_what_is_no_json_is_nothing(body: bytes) -> None:
    assert decoded(body) is None


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=20))
def test_any_text_can_be_sent_back(words: str) -> None:
    body = '"' + "".join(f"\\u{ord(letter):04x}" for letter in words if ord(letter) < 0x10000) + '"'
    msgspec.json.encode(decoded(body))
