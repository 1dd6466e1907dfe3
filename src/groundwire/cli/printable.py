"""Foreign text made safe for a terminal: what a web page or a model wrote must not move the cursor."""

from __future__ import annotations

import re

_SEQUENCE = re.compile(
    r"\x1b\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\|$)"  # operating system command: titles, links, clipboard
    r"|\x1b[PX^_][^\x1b]{0,4096}(?:\x1b\\|$)"  # device control and other strings
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # control sequence: colours, cursor, screen
    r"|\x1b[ -/]*[0-~]?"  # two-character escapes
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_OVERRIDE = re.compile(r"[\u202d\u202e\u2066-\u2069]")  # make text read in another order than it is stored


def printable(text: str) -> str:
    """The text without escape sequences, control characters and direction overrides."""
    return _OVERRIDE.sub("", _CONTROL.sub("", _SEQUENCE.sub("", text.replace("\r\n", "\n"))))


def printable_json(text: str) -> str:
    """JSON text with the control characters that JSON itself allows written as escapes."""
    return re.sub(r"[\x7f-\x9f\u202d\u202e\u2066-\u2069]", lambda match: f"\\u{ord(match.group()):04x}", text)
