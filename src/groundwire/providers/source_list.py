"""The source list that some models write below their answer: found, read, and cut off.

    Sources:                            ## References
    [1] Title (https://…)               1. [Title](https://…)
    [2]: https://…                      - Title: https://…

Only a list that reaches to the end of the text and whose every line names a page counts as one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from groundwire.providers.spans import Spans

_HEADING = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]*|\*\*|__)?"
    r"(?:sources?|references?|citations?|links|来源|参考资料|参考来源|出典|参考文献)"
    r"[ \t]*:?[ \t]*(?:\*\*|__)?[ \t]*[:：]?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_DEFINITION = re.compile(r"^[ \t]*\[(\d{1,3})\]:[ \t]*<?(https?://\S+?)>?[ \t]*(?:\"([^\"\n]*)\")?[ \t]*$")
_BULLET = re.compile(r"^[ \t]*(?:[-*•][ \t]+)?(?:\[?(\d{1,3})[\].)][:.)]?[ \t]*)?(.*?)[ \t]*$")
_URL = re.compile(r"https?://[^\s<>]+")


@dataclass(frozen=True, slots=True)
class SourceList:
    """Where the list starts in the text, and the title and address behind each number."""

    start: int
    entries: dict[int, tuple[str | None, str]]


def split_source_list(text: str, code: Spans) -> SourceList | None:
    """The source list at the end of the text, if there is one."""
    for heading in reversed(list(_HEADING.finditer(text))):
        if code.contain(heading.start()):
            continue
        entries = _entries(text[heading.end() :])
        return SourceList(_before_rule(text, heading.start()), entries) if entries else None
    return _definitions_at_end(text)


def _entries(below: str) -> dict[int, tuple[str | None, str]] | None:
    entries: dict[int, tuple[str | None, str]] = {}
    for line in below.splitlines():
        if not line.strip():
            continue
        read = _entry(line)
        if read is None:
            return None
        number, title, url = read
        entries[number if number is not None else -(len(entries) + 1)] = (title, url)
    return entries or None


def _entry(line: str) -> tuple[int | None, str | None, str] | None:
    definition = _DEFINITION.match(line)
    if definition:
        return int(definition.group(1)), definition.group(3), definition.group(2)
    bullet = _BULLET.match(line)
    if bullet is None:
        return None
    number = int(bullet.group(1)) if bullet.group(1) else None
    content = bullet.group(2)
    url = _URL.search(content)
    if url is None:
        return None
    address = _closed(url.group())
    title = (content[: url.start()] + content[url.start() + len(address) :]).strip(" \t-–—:()[]<>*\"'|,")
    return number, title.replace("](", " ").strip() or None, address


def _closed(url: str) -> str:
    """The address without a closing bracket or punctuation that belongs to the line."""
    while url and (url[-1] in ".,;:!?\"'*]>" or (url[-1] == ")" and url.count(")") > url.count("("))):
        url = url[:-1]
    return url


def _definitions_at_end(text: str) -> SourceList | None:
    """Markdown reference definitions (`[1]: https://…`) closing a text that has no heading for them."""
    lines = text.splitlines(keepends=True)
    entries: dict[int, tuple[str | None, str]] = {}
    start = len(text)
    for line in reversed(lines):
        definition = _DEFINITION.match(line.rstrip("\r\n"))
        if definition:
            entries[int(definition.group(1))] = (definition.group(3), definition.group(2))
        elif line.strip():
            break
        start -= len(line)
    return SourceList(start, entries) if entries else None


def _before_rule(text: str, start: int) -> int:
    """The start of the list including a horizontal rule right above it."""
    above = text[:start].rstrip()
    for rule in ("---", "***", "___"):
        if above.endswith("\n" + rule):
            return len(above) - len(rule)
    return start
