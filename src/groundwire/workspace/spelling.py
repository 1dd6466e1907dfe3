"""Judgements about how a path is spelled, made without touching the disk.

`complaint` names what is wrong with a path's text; `is_protected` knows the segments Gemini CLI 0.61.0
keeps from its tools wherever they appear: `.git`, `.env`, `node_modules` and Google credentials,
in any case, with the trailing dots, streams and short names that Windows reads as the same file.
"""

from __future__ import annotations

import re
from functools import lru_cache

from groundwire.characters import is_sayable

LONGEST_PATH = 4096
LONGEST_SEGMENT = 255
LOG_FRAGMENTS = ("AssertionError:", "FAIL ", "✓ ", "× ", "TestingLibraryElementError:")
PROTECTED = frozenset((".git", ".env", "node_modules"))
SHORT_NAMES = re.compile(
    r"(git|gi[0-9a-f]{4}|env|en[0-9a-f]{4}|node_m|no[0-9a-f]{4})~[0-9]+"
    r"|(gha-cr|gh[0-9a-f]{4})~[0-9]+\.json?"
)


def complaint(path: str) -> str | None:
    """What is wrong with the spelling of `path`, in Gemini CLI's words; None when nothing is."""
    if not path:
        return "Path must be a non-empty string."
    if any(character in path for character in "\n\r\0\t"):
        return "Path contains invalid characters (newlines or control characters)."
    if not is_sayable(path):
        return "Path contains half a character (a surrogate without its other half)."
    segments = path.replace("\\", "/").split("/")
    if any(segment.startswith(LOG_FRAGMENTS) for segment in segments):
        return "Path appears to be a misinterpreted log fragment."
    if len(path) > LONGEST_PATH:
        return f"Path is too long (maximum {LONGEST_PATH} characters)."
    for segment in segments:
        if len(segment) > LONGEST_SEGMENT:
            return f'Path component "{segment[:20]}..." is too long (maximum {LONGEST_SEGMENT} characters).'
    return None


@lru_cache(maxsize=4096)  # the same names come again and again in a walk
def is_protected(relative: str) -> bool:
    """Whether any segment of a path relative to the root is one that tools may not touch."""
    return any(_is_protected_name(segment) for segment in relative.replace("\\", "/").split("/"))


def _is_protected_name(segment: str) -> bool:
    name = segment.partition(":")[0].rstrip(" .").lower()
    return (
        name in PROTECTED
        or (name.startswith("gha-creds-") and name.endswith(".json"))
        or SHORT_NAMES.fullmatch(name) is not None
    )
