"""Line endings of a file that is overwritten: each line keeps its own, new lines follow the file's habit."""

from __future__ import annotations

from groundwire.tools.diff import Kind, compare, split_lines


def with_endings_of(old: str, new: str) -> str:
    """`new` with the line endings of `old`; unchanged when `old` has no CR LF."""
    crlf = old.count("\r\n")
    if crlf == 0:
        return new
    plain = new.replace("\r\n", "\n")
    if crlf == old.count("\n"):
        return plain.replace("\n", "\r\n")
    return _line_by_line(old, plain, usual="\r\n" if 2 * crlf >= old.count("\n") else "\n")


def _line_by_line(old: str, plain: str, usual: str) -> str:
    old_lines = split_lines(old)
    new_lines = split_lines(plain)
    out: list[str] = []
    for run in compare([line.replace("\r\n", "\n") for line in old_lines], new_lines):
        if run.kind is Kind.KEPT:
            out += old_lines[run.old_start : run.old_end]
        elif run.kind is Kind.ADDED:
            out += [line.replace("\n", usual) for line in new_lines[run.new_start : run.new_end]]
    return "".join(out)
