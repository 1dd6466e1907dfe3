"""What kind of file a name and its first bytes speak for: text, SVG, image, PDF, audio, video or binary.

The extension decides where Gemini CLI 0.61.0 lets it decide (its tables are those of the npm package
mime/lite); otherwise the content does, by the rules of the npm package isbinaryfile 5.0.7, so that both
programs agree on the same file, except that text in Latin-1 or an East Asian encoding is text to us.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from enum import StrEnum

SAMPLE_BYTES = 515
"""How much of a file `is_binary` wants to see: 512 bytes, and three to complete a character."""

_MEDIA = """
application/pdf pdf
audio/aac aac adts|audio/adpcm adp|audio/amr amr|audio/basic au snd|audio/midi kar mid midi rmi
audio/mobile-xmf mxmf|audio/mp4 m4a m4b mp4a|audio/mpeg m2a m3a mp2 mp2a mp3 mpga
audio/ogg oga ogg opus spx|audio/s3m s3m|audio/silk sil|audio/wav wav|audio/webm weba|audio/xm xm
image/aces exr|image/apng apng|image/avci avci|image/avcs avcs|image/avif avif|image/bmp bmp dib
image/cgm cgm|image/dicom-rle drle|image/dpx dpx|image/emf emf|image/fits fits|image/g3fax g3
image/gif gif|image/heic heic|image/heic-sequence heics|image/heif heif|image/heif-sequence heifs
image/hej2k hej2|image/ief ief|image/jaii jaii|image/jais jais|image/jls jls|image/jp2 jp2 jpg2
image/jpeg jpe jpeg jpg|image/jph jph|image/jphc jhc|image/jpm jpgm jpm|image/jpx jpf jpx|image/jxl jxl
image/jxr jxr|image/jxra jxra|image/jxrs jxrs|image/jxs jxs|image/jxsc jxsc|image/jxsi jxsi
image/jxss jxss|image/ktx ktx|image/ktx2 ktx2|image/pjpeg jfif|image/png png|image/sgi sgi
image/svg+xml svg svgz|image/t38 t38|image/tiff tif tiff|image/tiff-fx tfx|image/webp webp|image/wmf wmf
video/3gpp 3gp 3gpp|video/3gpp2 3g2|video/h261 h261|video/h263 h263|video/h264 h264
video/iso.segment m4s|video/jpeg jpgv|video/mj2 mj2 mjp2|video/mp2t m2t m2ts mts ts
video/mp4 mp4 mp4v mpg4|video/mpeg m1v m2v mpe mpeg mpg|video/ogg ogv|video/quicktime mov qt
video/webm webm
"""
_TYPE_OF_EXTENSION = {
    "." + extension: words[0]
    for words in (entry.split() for entry in _MEDIA.replace("\n", "|").split("|") if entry)
    for extension in words[1:]
}
_SUPPORTED_AUDIO = frozenset(
    ("audio/mpeg", "audio/wav", "audio/aiff", "audio/aac", "audio/ogg", "audio/flac")
)
_MORE_AUDIO = {".aiff": "audio/aiff", ".aif": "audio/aiff", ".flac": "audio/flac"}
_BINARIES = """
7z a bin bz2 class dat dll doc docx dylib exe gz jar lib o obj odp ods odt pak ppt pptx pyc pyo rar rpa so tar
war wasm xls xlsx zip
"""
_BINARY_EXTENSIONS = frozenset("." + extension for extension in _BINARIES.split())
_TEXT_MARKS = (
    codecs.BOM_UTF8,
    codecs.BOM_UTF32_BE,
    codecs.BOM_UTF16_LE,
    codecs.BOM_UTF16_BE,
    b"\x84\x31\x95\x33",  # GB 18030
)
_NO_CONTROL = bytes((*range(7, 15), 27, *range(32, 256)))


class FileKind(StrEnum):
    """The kinds that are read in different ways."""

    TEXT = "text"
    SVG = "svg"
    IMAGE = "image"
    PDF = "pdf"
    AUDIO = "audio"
    VIDEO = "video"
    BINARY = "binary"


@dataclass(frozen=True, slots=True)
class FileType:
    """A kind and, for media, the type to declare; no type means audio in a format Gemini does not take."""

    kind: FileKind
    media_type: str | None = None


def extension_of(name: str) -> str:
    """The extension of a base name in lower case with its dot: `.gz` of `a.tar.gz`, none of `.bashrc`."""
    dot = name.rfind(".")
    return name[dot:].lower() if dot > 0 else ""


def file_type(name: str, sample: bytes) -> FileType:
    """The type of the file with this base name whose first bytes are `sample`."""
    extension = extension_of(name)
    if extension in (".ts", ".mts", ".cts"):
        return FileType(FileKind.TEXT)  # not the MPEG transport streams of the table
    if extension == ".svg":
        return FileType(FileKind.SVG)
    media_type = _TYPE_OF_EXTENSION.get(extension) or _MORE_AUDIO.get(extension)
    if media_type is not None:
        return _media(media_type, sample)
    if extension in _BINARY_EXTENSIONS or is_binary(sample):
        return FileType(FileKind.BINARY)
    return FileType(FileKind.TEXT)


def _media(media_type: str, sample: bytes) -> FileType:
    family = media_type.partition("/")[0]
    if family == "image":
        return FileType(FileKind.IMAGE, media_type)
    if family == "application":
        return FileType(FileKind.PDF, media_type)
    if not is_binary(sample):
        return FileType(FileKind.TEXT)
    if family == "video":
        return FileType(FileKind.VIDEO, media_type)
    return FileType(FileKind.AUDIO, media_type if media_type in _SUPPORTED_AUDIO else None)


def is_binary(sample: bytes) -> bool:
    """Whether the first bytes of a file (`SAMPLE_BYTES` of them) are those of a binary file."""
    sample = sample[:SAMPLE_BYTES]
    if not sample or sample.startswith(_TEXT_MARKS):
        return False
    if sample.startswith(b"%PDF-"):
        return True
    scanned = min(len(sample), 512)
    if b"\0" in sample[:scanned]:
        return True
    # Text in an older encoding is full of high bytes; only a binary file also has control characters.
    if not sample[:scanned].translate(None, _NO_CONTROL):
        return False
    suspicious = _suspicious_bytes(sample, scanned)
    return suspicious * 10 > scanned or (suspicious > 1 and _reads_as_protobuf(sample[:scanned]))


def _suspicious_bytes(sample: bytes, scanned: int) -> int:
    """How many bytes are neither plain text nor part of a UTF-8 character."""
    suspicious = 0
    at = 0
    while at < scanned:
        byte = sample[at]
        if 7 <= byte <= 14 or 32 <= byte <= 127:
            at += 1
            continue
        following = (
            1 if 0xC0 <= byte <= 0xDF else 2 if 0xE0 <= byte <= 0xEF else 3 if 0xF0 <= byte <= 0xF7 else 0
        )
        if following and at + following < len(sample):
            if all(0x80 <= other <= 0xBF for other in sample[at + 1 : at + 1 + following]):
                at += 1 + following
                continue
            at += 1  # isbinaryfile has already stepped to the byte that disappointed it
        suspicious += 1
        if at >= 32 and suspicious * 10 > scanned:
            return suspicious
        at += 1
    return suspicious


class _EndOfSample(Exception):
    """The sample ended inside a protobuf message."""


def _reads_as_protobuf(sample: bytes) -> bool:
    """Whether the bytes are a run of protobuf messages, the last one possibly cut off."""
    at = 0
    messages = 0
    try:
        while True:
            tag, at = _varint(sample, at)
            wire_type = tag & 7
            if wire_type == 0:
                _, at = _varint(sample, at)
            elif wire_type in (1, 5):
                at = _skip(sample, at, 8 if wire_type == 1 else 4)
            elif wire_type == 2:
                length, at = _varint(sample, at)
                at = _skip(sample, at, length)
            else:
                return False
            messages += 1
    except _EndOfSample:
        return messages > 0


def _varint(sample: bytes, at: int) -> tuple[int, int]:
    value = 0
    for index in range(11):
        if at >= len(sample):
            raise _EndOfSample
        byte = sample[at]
        at += 1
        value |= (byte & 0x7F) << (7 * index % 32)  # JavaScript shifts modulo 32
        if not byte & 0x80:
            value &= 0xFFFFFFFF
            return value - (1 << 32) if value >> 31 else value, at
    raise _EndOfSample


def _skip(sample: bytes, at: int, count: int) -> int:
    if count > len(sample) - at:
        raise _EndOfSample
    return at + max(count, 0)
