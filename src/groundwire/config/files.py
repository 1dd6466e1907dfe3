"""Reading a configuration file: bounded, and every way it can be broken becomes a ConfigProblem.

A reason never quotes the file, since what stands there may be a key.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

MAX_FILE_BYTES = 1024 * 1024
"""The largest configuration or credential file we read."""

_MAX_DEPTH = 200
_POSITION = re.compile(r"near (\d+)")
_TOML_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_QUOTED = re.compile(r"\(.*\)|'.*'|\".*\"")


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """Something in a file (or another source, such as a variable) that could not be used, and why."""

    file: str
    line: int | None
    reason: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.reason}"


class Unreadable(Exception):
    """Raised inside this package when a source cannot be used; carries the line and the reason."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


def read_text(path: Path) -> str | None:
    """The text of a file, None when there is none, Unreadable for everything else."""
    try:
        content = _read_bytes(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError:
        raise Unreadable("no permission to read it") from None
    except (OSError, ValueError) as error:
        raise Unreadable(f"it cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(content) > MAX_FILE_BYTES:
        raise Unreadable(f"larger than {MAX_FILE_BYTES // 1024} KB, so it was not read")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable("not valid UTF-8 text", content.count(b"\n", 0, error.start) + 1) from None


def _read_bytes(path: Path) -> bytes:
    # Without O_NONBLOCK, opening a named pipe would wait for somebody to write.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        kind = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(kind):
            raise Unreadable(
                "this is a folder, not a file" if stat.S_ISDIR(kind) else "this is not a regular file"
            )
        with os.fdopen(descriptor, "rb", closefd=False) as stream:
            return stream.read(MAX_FILE_BYTES + 1)
    finally:
        os.close(descriptor)


def parse_jsonc(text: str) -> dict[str, object]:
    """A JSON object that may hold comments and trailing commas."""
    import pyjson5  # noqa: PLC0415  (loaded only when such a file exists)

    try:
        document: object = pyjson5.decode(text, maxdepth=_MAX_DEPTH)
    except pyjson5.Json5Exception as error:
        document = _plain_json(text)
        if document is None or isinstance(error, pyjson5.Json5NestingTooDeep):
            raise _explain_json(text, error) from None
    if not isinstance(document, dict):
        raise Unreadable("expected an object {…} at the top", 1)
    return document


def _plain_json(text: str) -> object:
    """What strict JSON says that JSON5's reader refuses: half an emoji that a program cut, `1e999`."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _explain_json(text: str, error: Exception) -> Unreadable:
    message = str(error.args[0]) if error.args else ""
    found = _POSITION.search(message)
    position = int(found.group(1)) if found else len(text)
    line = text.count("\n", 0, max(position - 1, 0)) + 1
    if not text.strip():
        return Unreadable("the file is empty", 1)
    kind = type(error).__name__
    if kind == "Json5EOF":
        return Unreadable("not valid JSON: it ends before what starts on this line is closed", line)
    if kind == "Json5NestingTooDeep":
        return Unreadable(f"nested deeper than {_MAX_DEPTH} levels", line)
    if kind == "Json5ExtraData":
        return Unreadable("not valid JSON: more text follows after the end of the object", line)
    return Unreadable("not valid JSON: unexpected character", line)


def parse_toml(text: str) -> dict[str, object]:
    """A TOML document."""
    import tomllib  # noqa: PLC0415  (loaded only when such a file exists)

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _TOML_PLACE.search(str(error))
        line = int(place.group(1)) if place and place.group(1) else max(text.rstrip().count("\n") + 1, 1)
        raise Unreadable(f"not valid TOML: {_toml_reason(str(error))}", line) from None
    except RecursionError:
        raise Unreadable("nested too deeply") from None


def _toml_reason(message: str) -> str:
    """What is wrong, without the place and without a word of the file: it may hold a secret."""
    reason = _TOML_PLACE.sub("", message)
    if not reason.startswith("Expected "):  # then what is quoted is TOML's own
        reason = _QUOTED.sub("…", reason).removesuffix(" …")
    return f"{reason[:1].lower()}{reason[1:]}"


def line_of_key(text: str, path: Sequence[str]) -> int | None:
    """The line where a nested key stands, found by looking for its names one after another.

    Good enough for a message: a file that repeats the same names elsewhere may give an earlier line.
    """
    position = 0
    for name in path:
        found = re.compile(rf"""(?<![\w-])["']?({re.escape(name)})["']?\s*[:=\].]""").search(text, position)
        if found is None:
            return None
        position = found.start(1)
    return text.count("\n", 0, position) + 1
