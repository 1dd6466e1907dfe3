"""What kind a file is: by its name where that decides, by its bytes otherwise."""

from __future__ import annotations

import pytest

from groundwire.workspace.filetype import FileKind, extension_of, file_type, is_binary


@pytest.mark.parametrize(
    ("name", "sample", "kind"),
    [
        ("a.ts", b"\0", FileKind.TEXT),
        ("a.svg", b"<svg/>", FileKind.SVG),
        ("a.PNG", b"text", FileKind.IMAGE),
        (".png", b"text", FileKind.TEXT),
        ("a.pdf", b"x", FileKind.PDF),
        ("a.mp3", b"ID3\0", FileKind.AUDIO),
        ("a.mp3", b"only words", FileKind.TEXT),
        ("a.mp4", b"\0\0", FileKind.VIDEO),
        ("a.zip", b"text", FileKind.BINARY),
        ("a.unknown", b"\0", FileKind.BINARY),
        ("a.unknown", b"text", FileKind.TEXT),
        ("noname", b"%PDF-1.4", FileKind.BINARY),
    ],
)
def test_name_and_bytes_decide_together(name: str, sample: bytes, kind: FileKind) -> None:
    assert file_type(name, sample).kind is kind


def test_audio_that_gemini_does_not_take_has_no_type() -> None:
    assert file_type("a.mid", b"MThd\0").media_type is None
    assert file_type("a.flac", b"fLaC\0").media_type == "audio/flac"


@pytest.mark.parametrize(
    ("sample", "binary"),
    [
        (b"", False),
        ("日本語のテキスト".encode("cp932"), False),
        ("crème brûlée".encode("latin-1"), False),
        ("\ufeffa".encode("utf-16-le"), False),
        (b"\x84\x31\x95\x33", False),
        (b"\x1b[31mred\x1b[0m text", False),
        (bytes(range(1, 255)) * 2, True),
        (b"\x01\x02\x03\x04\x05\x06", True),
        (b"text" * 200 + b"\0", False),
        ("é".encode() * 300, False),
    ],
)
def test_binary_is_what_no_text_looks_like(sample: bytes, binary: bool) -> None:
    assert is_binary(sample) is binary


def test_the_extension_is_what_node_calls_it() -> None:
    assert [extension_of(name) for name in ("a.tar.GZ", ".bashrc", "..png", "a.", "a")] == [
        ".gz",
        "",
        ".png",
        ".",
        "",
    ]
