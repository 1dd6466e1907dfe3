"""The words of grep_search: how matches are told to the model and shown to the person."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from groundwire.tools.base import ToolResult
from groundwire.tools.ripgrep import MOST_FILE_SIZE, Line

MOST_LINE_LENGTH = 2000
# What JavaScript's trim() takes away.
JS_SPACE = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    chr(code) for code in range(0x2000, 0x200B)
)


@dataclass(frozen=True, slots=True)
class Matches:
    """What a search found: the lines in order, and whether there were more than asked for."""

    lines: Sequence[Line]
    limited: bool = False
    without_large: bool = False
    """Whether large files had to be left out for the search to come to an end."""

    @property
    def count(self) -> int:
        """How many of the lines match; the others are context."""
        return sum(not line.is_context for line in self.lines)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the answer repeats of the question."""

    pattern: str
    where: str
    include: str | None
    most: int

    @property
    def phrase(self) -> str:
        """`for pattern "P" in path "D" (filter: "F")`."""
        filtered = f' (filter: "{self.include}")' if self.include else ""
        return f'for pattern "{self.pattern}" in path "{self.where}"{filtered}'

    def limit(self, matches: Matches) -> str:
        """The note that there were more."""
        return f" (results limited to {self.most} matches for performance)" if matches.limited else ""


def nothing_found(asked: Asked) -> ToolResult:
    """The answer when no line matches."""
    return ToolResult(f"No matches found {asked.phrase}.", {"summary": "No matches found", "matches": []})


def names_result(matches: Matches, asked: Asked) -> ToolResult:
    """The answer that lists only files."""
    names = sorted(
        {line.path for line in matches.lines}, key=lambda name: name.encode("utf-16-be", "replace")
    )
    text = f"Found {len(names)} files with matches {asked.phrase}{asked.limit(matches)}:\n" + "\n".join(names)
    summary = f"Found {len(names)} files" + (" (limited)" if matches.limited else "")
    return ToolResult(text.strip(JS_SPACE), {"summary": summary, "matches": []})


def lines_result(matches: Matches, asked: Asked, folder: str) -> ToolResult:
    """The answer with every line, file by file."""
    count = matches.count
    term = "match" if count == 1 else "matches"
    text = f"Found {count} {term} {asked.phrase}{asked.limit(matches)}:\n---\n"
    text += blocks(matches.lines)
    summary = f"Found {count} {term}" + (" (limited)" if matches.limited else "")
    prefix = os.path.join(folder, "")
    shown = [
        {
            "filePath": line.path,
            "absolutePath": prefix + line.path,
            "lineNumber": line.number,
            "line": line.text.rstrip(JS_SPACE),
        }
        for line in matches.lines
        if not line.is_context
    ]
    return ToolResult(text.strip(JS_SPACE), {"summary": summary, "matches": shown})


def classic_result(matches: Matches, asked: Asked) -> ToolResult:
    """The answer of search_file_content, whose lines are trimmed on both sides."""
    if not matches.lines:
        return ToolResult(f"No matches found {asked.phrase}.", "No matches found")
    term = "match" if matches.count == 1 else "matches"
    text = f"Found {matches.count} {term} {asked.phrase}{asked.limit(matches)}:\n---\n"
    text += blocks(matches.lines, trim_start=True)
    summary = f"Found {matches.count} {term}" + (" (limited)" if matches.limited else "")
    return ToolResult(text.strip(JS_SPACE), summary)


def with_remark(result: ToolResult) -> ToolResult:
    """The answer, with what was not looked at."""
    remark = (
        f"\n(Files larger than {MOST_FILE_SIZE}B were left out: they took too much time or memory. "
        "Name such a file as the path to search it.)"
    )
    return replace(result, llm_content=f"{result.llm_content}{remark}")


def blocks(lines: Sequence[Line], *, trim_start: bool = False) -> str:
    """`File: name`, its lines, `---`, for each file."""
    out: list[str] = []
    path = None
    for line in lines:
        if line.path != path:
            if path is not None:
                out.append("---\n")
            path = line.path
            out.append(f"File: {path}\n")
        text = line.text.strip(JS_SPACE) if trim_start else line.text.rstrip(JS_SPACE)
        if len(text) > MOST_LINE_LENGTH:
            text = text[:MOST_LINE_LENGTH] + "... [truncated]"
        out.append(f"L{line.number}{'-' if line.is_context else ':'} {text}\n")
    return "".join(out) + "---\n"
