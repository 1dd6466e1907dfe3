"""Regular expressions that ripgrep refuses, in the words of JavaScript that Gemini CLI uses."""

from __future__ import annotations

import re

from groundwire.tools.base import Arguments

_WORDS = (
    ("unclosed group", "Unterminated group"),
    ("unopened group", "Unmatched ')'"),
    ("unclosed character class", "Unterminated character class"),
    ("repetition operator missing expression", "Nothing to repeat"),
    ("incomplete escape sequence", "\\ at end of pattern"),
    ("invalid character class range", "Range out of order in character class"),
    ("invalid repetition count range", "numbers out of order in {} quantifier"),
)


def refused_pattern(said: str, arguments: Arguments) -> str | None:
    """The message for the model when ripgrep `said` that a pattern is wrong; None when it said else."""
    found = re.search(r"^error: (.*)", said, re.MULTILINE)
    if found is None and "PCRE2" not in said and "regex" not in said:
        return None
    reason = found[1] if found else said.strip()
    for rust, javascript in _WORDS:
        if rust in reason:
            reason = javascript
    pattern, exclude = arguments["pattern"], arguments.get("exclude_pattern")
    if exclude and f"(?:{pattern})" not in said and pattern not in said:
        return _message("Invalid exclude regular expression pattern provided", exclude, reason)
    return _message("Invalid regular expression pattern provided", pattern, reason)


def _message(beginning: str, pattern: str, reason: str) -> str:
    return f"{beginning}: {pattern}. Error: Invalid regular expression: /{pattern}/: {reason}"
