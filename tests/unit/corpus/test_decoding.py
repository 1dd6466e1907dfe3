"""Bytes become text whatever their encoding, and never an error."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.corpus.decoding import decode, is_binary


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_unicode_encodings_are_recognised(encoding: str) -> None:
    decoded = decode("Grüße, 北京 😀".encode(encoding))
    assert decoded.text == "Grüße, 北京 😀"
    assert not decoded.is_guess


def test_big_endian_utf_16_with_a_mark_is_recognised() -> None:
    assert decode(b"\xfe\xff" + "天气".encode("utf-16-be")).text == "天气"


def test_what_is_not_utf_8_is_taken_for_western_european() -> None:
    decoded = decode("déjà “vu” – 5 €".encode("cp1252"))
    assert decoded.text == "déjà “vu” – 5 €"
    assert decoded.is_guess


def test_bytes_that_even_windows_leaves_undefined_become_some_character() -> None:
    assert decode(b"a\x81\xe9").text == "a\x81é"


def test_a_declared_encoding_is_tried_before_guessing() -> None:
    decoded = decode("北京天气".encode("gb18030"), declared="gb2312")
    assert decoded.text == "北京天气"
    assert not decoded.is_guess


@pytest.mark.parametrize("declared", ["no-such-encoding", "base64", "rot13", "hex", "idna"])
def test_a_declared_encoding_that_is_none_is_ignored(declared: str) -> None:
    assert decode(b"caf\xe9", declared=declared).text == "café"


def test_a_last_character_cut_in_half_is_dropped_when_the_file_was_cut() -> None:
    assert decode("北京".encode()[:-1], is_cut=True).text == "北"
    assert decode(b"caf\xe9").text == "café"


def test_line_ends_become_one_kind() -> None:
    assert decode(b"a\r\nb\rc\n").text == "a\nb\nc\n"


def test_a_nul_means_binary_unless_a_mark_explains_it() -> None:
    assert is_binary(b"\x7fELF\0\0")
    assert not is_binary("hi".encode("utf-16"))
    assert not is_binary(b"plain")


@given(st.binary(max_size=300), st.sampled_from([None, "utf-16", "gb18030", "shift_jis", "utf-7"]))
def test_any_bytes_become_text_that_can_be_stored(content: bytes, declared: str | None) -> None:
    text = decode(content, declared=declared).text
    assert "\r" not in text
    assert "\0" not in text
    text.encode("utf-8")
