"""Encodings: every file leads back to its own bytes, and is read as what it is where that is certain."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.errors import ToolError
from groundwire.workspace.encodings import UTF_8, decode

JAPANESE = "これは日本語のテキストです。ファイルの文字コードを調べています。"
KOREAN = "이것은 한국어로 쓰여진 문장입니다. 파일의 인코딩을 확인합니다."
SIMPLIFIED = "这是一个用简体中文书写的文件，我们要确认它的编码方式是否正确。"
TRADITIONAL = "這是一個用繁體中文書寫的檔案，我們要確認它的編碼方式是否正確。"


@given(st.binary(max_size=200))
def test_whatever_the_bytes_are_they_come_back(data: bytes) -> None:
    encoding, text = decode(data)
    assert encoding.encode(text) == data


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        (JAPANESE, "cp932"),
        (JAPANESE, "euc_jp"),
        (KOREAN, "cp949"),
        (SIMPLIFIED, "gb18030"),
        (TRADITIONAL, "big5"),
        ("café crème brûlée", "cp1252"),
        ("“quotes” – and €", "cp1252"),
        ("héllo", "utf-8"),
        ("\ufeffmark", "utf-16-le"),
        ("\ufeffmark", "utf-16-be"),
        ("\ufeffmark", "utf-32-le"),
        ("\ufeffmark", "utf-32-be"),
        ("\ufeffmark", "utf-8"),
    ],
)
def test_a_text_is_read_in_the_encoding_it_was_written_in(text: str, codec: str) -> None:
    encoding, read = decode(text.encode(codec))
    assert (encoding.codec, read) == (codec, text.removeprefix("\ufeff"))


def test_a_utf_8_file_with_a_stray_byte_stays_utf_8_and_keeps_the_byte() -> None:
    data = "Grüße aus Köln, ".encode() + b"\xff" + "schöne Wörter".encode()
    encoding, text = decode(data)
    assert encoding.codec == "utf-8"
    assert encoding.encode(text.replace("Köln", "Bonn")) == data.replace("Köln".encode(), b"Bonn")


def test_a_character_without_bytes_is_named_with_its_line() -> None:
    encoding, _ = decode("café au lait".encode("latin-1"))
    with pytest.raises(ToolError, match=r"U\+65E5 \(line 2 of the new text\)"):
        encoding.encode("café\n日本")
    with pytest.raises(ToolError, match=r"U\+D800"):
        UTF_8.encode("\ud800")
