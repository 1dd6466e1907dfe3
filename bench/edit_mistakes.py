"""The mistakes of language models, injected into real edits.

A mistake is a function from a hunk to a `Case`, or None where it does not apply. It does not apply either
where it would destroy what nobody could restore: the words of each function say when. The text that is
meant is always the file with the hunk applied, every other byte as it was.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass

from bench.edit_hunks import Hunk


@dataclass(frozen=True, slots=True)
class Case:
    """A file, a call, and what the file must hold afterwards; None when the call must be refused."""

    text: str
    old: str
    new: str
    meant: str | None


Mistake = Callable[[Hunk, random.Random], Case | None]


def _case(hunk: Hunk, old: str, new: str, *, lines: list[str] | None = None) -> Case | None:
    """A case where only the strings are damaged. `lines` replace the file's lines before the edit."""
    if old == "\n".join(hunk.old):
        return None
    return Case("\n".join(lines or hunk.lines), old, new, meant(hunk, lines))


def meant(hunk: Hunk, lines: list[str] | None = None) -> str:
    """The file with the hunk applied; lines that stay are the file's own."""
    source = list(lines or hunk.lines)
    first = hunk.start + len(hunk.above)
    return "\n".join([*source[:first], *hunk.added, *source[first + len(hunk.removed) :]])


def both(hunk: Hunk, damage: Callable[[str], str]) -> Case | None:
    """The same damage to every line of both strings."""
    return _case(hunk, "\n".join(map(damage, hunk.old)), "\n".join(map(damage, hunk.new)))


# -- nothing wrong --------------------------------------------------------------------------------------


def none(hunk: Hunk, rng: random.Random) -> Case | None:
    """The strings as they should be."""
    return Case("\n".join(hunk.lines), "\n".join(hunk.old), "\n".join(hunk.new), meant(hunk))


# -- line ends and blanks -------------------------------------------------------------------------------


def crlf_file(hunk: Hunk, rng: random.Random) -> Case | None:
    """The file has CR LF, the strings LF."""
    text, result = ("\n".join(hunk.lines).replace("\n", "\r\n"), meant(hunk).replace("\n", "\r\n"))
    return Case(text, "\n".join(hunk.old), "\n".join(hunk.new), result) if "\r\n" in text else None


def crlf_strings(hunk: Hunk, rng: random.Random) -> Case | None:
    """The file has LF, the strings CR LF. Strings of one line have no line end."""
    old, new = "\r\n".join(hunk.old), "\r\n".join(hunk.new)
    return _case(hunk, old, new)


def mixed_file(hunk: Hunk, rng: random.Random) -> Case | None:
    """The lines of the hunk end in CR LF, the others in LF. Not at the end of the file."""
    if hunk.end >= len(hunk.lines) - 1 or not hunk.added:
        return None
    before, after = hunk.lines[: hunk.start], hunk.lines[hunk.end :]

    def text(middle: list[str]) -> str:
        return (
            "".join(f"{line}\n" for line in before)
            + "".join(f"{line}\r\n" for line in middle)
            + "\n".join(after)
        )

    return Case(text(hunk.old), "\n".join(hunk.old), "\n".join(hunk.new), text(hunk.new))


def lost_trailing_blanks(hunk: Hunk, rng: random.Random) -> Case | None:
    """The file has blanks at the end of up to three lines of the hunk, the strings have not."""
    lines = list(hunk.lines)
    chosen = [
        at for at in range(hunk.start, hunk.end) if lines[at].strip() and lines[at] == lines[at].rstrip()
    ]
    for at in rng.sample(chosen, min(3, len(chosen))):
        lines[at] += rng.choice(["  ", " ", "\t"])
    text = "\n".join(lines)
    if not chosen:
        return None
    return Case(text, "\n".join(hunk.old), "\n".join(hunk.new), meant(hunk, lines))


def added_trailing_blanks(hunk: Hunk, rng: random.Random) -> Case | None:
    """The strings have blanks at the end of lines that stay, the file has not."""
    return _in_context(hunk, rng, lambda line: line + "  ", 2)


def dedented(hunk: Hunk, rng: random.Random) -> Case | None:
    """The common indentation is missing in both strings."""
    common = common_indentation(hunk)
    return both(hunk, lambda line: line[len(common) :] if line.strip() else line) if common else None


def overindented(hunk: Hunk, rng: random.Random) -> Case | None:
    """Both strings are four blanks too deep. Not where the file indents with tabs."""
    if any(line.startswith("\t") for line in hunk.old + hunk.new):
        return None
    return both(hunk, lambda line: "    " + line if line.strip() else line)


def tabs_as_spaces(hunk: Hunk, rng: random.Random) -> Case | None:
    """The file indents with tabs only, the strings with four (or two, or eight) spaces for each."""
    width = rng.choice([4, 4, 4, 2, 8])
    if not _indents_only_with(hunk, "\t"):
        return None
    return both(hunk, lambda line: _converted(line, "\t", " " * width))


def spaces_as_tabs(hunk: Hunk, rng: random.Random) -> Case | None:
    """The file indents with four spaces, the strings with tabs. Every depth must be a multiple of four."""
    if not _indents_only_with(hunk, "    "):
        return None
    return both(hunk, lambda line: _converted(line, "    ", "\t"))


def other_width(hunk: Hunk, rng: random.Random) -> Case | None:
    """The file indents with four spaces, the strings with two. Two depths at least, else it is a shift."""
    if not _indents_only_with(hunk, "    ") or len({_indent(line) for line in hunk.old if line.strip()}) < 2:
        return None
    return both(hunk, lambda line: _converted(line, "    ", "  "))


def token_spacing(hunk: Hunk, rng: random.Random) -> Case | None:
    """Other blanks between the tokens of a line that stays, in both strings."""
    return _in_context(hunk, rng, lambda line: _respaced(line, rng), 2)


def dropped_blank_line(hunk: Hunk, rng: random.Random) -> Case | None:
    """A blank line is missing in both strings. Not next to the change, where its place would matter."""
    return _blank_line(hunk, rng, drop=True)


def added_blank_line(hunk: Hunk, rng: random.Random) -> Case | None:
    """A blank line too many in both strings. Not next to the change."""
    return _blank_line(hunk, rng, drop=False)


# -- decoration -----------------------------------------------------------------------------------------


def smart_punctuation(hunk: Hunk, rng: random.Random) -> Case | None:
    """Typographic quotes and dashes in both strings. Not where the file has some itself."""
    if any(mark in "\n".join([*hunk.lines, *hunk.added]) for mark in "“”‘’–—"):
        return None
    return both(hunk, _prettified)


def escaped_as_json(hunk: Hunk, rng: random.Random) -> Case | None:
    """Both strings as the inside of a JSON string."""
    old, new = (json.dumps("\n".join(lines), ensure_ascii=False)[1:-1] for lines in (hunk.old, hunk.new))
    return _case(hunk, old, new)


def escaped_quotes(hunk: Hunk, rng: random.Random) -> Case | None:
    """A backslash before every double quote. Not where quotes come with backslashes in the new lines only."""
    if '"' not in "\n".join(hunk.old):
        return None
    return both(hunk, lambda line: line.replace('"', '\\"'))


def html_entities(hunk: Hunk, rng: random.Random) -> Case | None:
    """`<`, `>`, `&` and quotes as entities. Not in files that hold entities themselves."""
    if re.search(r"&(lt|gt|amp|quot|#\d+);", "\n".join([*hunk.lines, *hunk.added])):
        return None
    marks = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
    if not any(mark in "\n".join(hunk.old) for mark in "<>"):
        return None
    return both(hunk, lambda line: re.sub('[&<>"]', lambda match: marks[match[0]], line))


def line_numbers(hunk: Hunk, rng: random.Random) -> Case | None:
    """The numbers of a viewer before every line of both strings."""
    style = rng.choice(["{}: {}", "{:>6}\t{}", "{:>4} | {}", "L{}: {}", "{}|{}", "{:>5}→{}"])
    old, new = ("\n".join(style.format(hunk.start + at + 1, line) for at, line in enumerate(lines))
                for lines in (hunk.old, hunk.new))  # fmt: skip
    return _case(hunk, old, new)


def code_fence(hunk: Hunk, rng: random.Random) -> Case | None:
    """A Markdown fence around both strings."""
    language = rng.choice(["", "python", "js"])
    old, new = (f"```{language}\n" + "\n".join(lines) + "\n```" for lines in (hunk.old, hunk.new))
    return _case(hunk, old, new)


# -- content --------------------------------------------------------------------------------------------


def mistyped_context(hunk: Hunk, rng: random.Random) -> Case | None:
    """One letter wrong in a line that stays: inside a word of four letters, giving no word of the file.

    In shorter words, and in digits, a reader cannot tell a mistake from another name.
    """
    text = "\n".join(hunk.lines)
    if len([line for line in hunk.old if line.strip()]) < 3:
        return None
    places = [(at, match) for at, line in enumerate(hunk.above + hunk.below)
              for match in re.finditer(r"[A-Za-z]{4,}", line)]  # fmt: skip
    for at, match in rng.sample(places, min(len(places), 8)):
        word = _mistyped(match[0], rng)
        line = (hunk.above + hunk.below)[at]
        whole = line[: match.start()] + word + line[match.end() :]
        inside = [found[0] for found in re.finditer(r"\w+", whole)
                  if found.start() <= match.start() and found.end() >= match.start() + len(word)]  # fmt: skip
        if inside and re.search(rf"\b{re.escape(inside[0])}\b", text) is None:
            return _with_context(hunk, {at: whole})
    return None


def elided_middle(hunk: Hunk, rng: random.Random) -> Case | None:
    """`...` instead of lines that stay, above or below the change; what is left must be told by its lines."""
    mark = rng.choice(["...", "    ...", "# ...", "// ...", "// ... existing code ..."])
    text = "\n".join(hunk.lines)
    if len(hunk.above) >= 5:
        kept = (hunk.above[:2], hunk.above[-2:])
        near = "\n".join([*kept[1], *hunk.removed, *hunk.below])
        if text.count("\n".join(kept[0])) != 1 or text.count(near) != 1 or not near.strip():
            return None
        above = [*kept[0], mark, *kept[1]]
        return _case(hunk, "\n".join([*above, *hunk.removed, *hunk.below]),
                     "\n".join([*above, *hunk.added, *hunk.below]))  # fmt: skip
    return None


MISTAKES: dict[str, Mistake] = {
    function.__name__.replace("_", " "): function
    for function in (
        none, crlf_file, crlf_strings, mixed_file, lost_trailing_blanks, added_trailing_blanks, dedented,
        overindented, tabs_as_spaces, spaces_as_tabs, other_width, token_spacing, dropped_blank_line,
        added_blank_line, smart_punctuation, escaped_as_json, escaped_quotes, html_entities, line_numbers,
        code_fence, mistyped_context, elided_middle,
    )
}  # fmt: skip

# -- how ------------------------------------------------------------------------------------------------


def _in_context(hunk: Hunk, rng: random.Random, damage: Callable[[str], str], most: int) -> Case | None:
    """Damage to a few lines that stay, the same in both strings."""
    context = hunk.above + hunk.below
    damaged = {at: damage(line) for at, line in enumerate(context) if line.strip()}
    changed = [at for at, line in damaged.items() if line != context[at]]
    if not changed:
        return None
    return _with_context(hunk, {at: damaged[at] for at in rng.sample(changed, min(most, len(changed)))})


def _with_context(hunk: Hunk, replaced: dict[int, str]) -> Case | None:
    context = [replaced.get(at, line) for at, line in enumerate(hunk.above + hunk.below)]
    above, below = context[: len(hunk.above)], context[len(hunk.above) :]
    return _case(hunk, "\n".join([*above, *hunk.removed, *below]), "\n".join([*above, *hunk.added, *below]))


def _blank_line(hunk: Hunk, rng: random.Random, *, drop: bool) -> Case | None:
    above, below = list(hunk.above), list(hunk.below)
    if drop:
        choices = [(above, at) for at in range(1, len(above) - 1) if _blank_alone(above, at)]
        choices += [(below, at) for at in range(1, len(below) - 1) if _blank_alone(below, at)]
    else:
        choices = [(above, at) for at in range(1, len(above)) if above[at].strip() and above[at - 1].strip()]
        choices += [(below, at) for at in range(1, len(below)) if below[at].strip() and below[at - 1].strip()]
    if not choices or len([line for line in hunk.old if line.strip()]) < 3:
        return None
    part, at = rng.choice(choices)
    part[at : at + drop] = [] if drop else [""]
    return _case(hunk, "\n".join([*above, *hunk.removed, *below]), "\n".join([*above, *hunk.added, *below]))


def _blank_alone(lines: list[str], at: int) -> bool:
    return not lines[at].strip() and bool(lines[at - 1].strip()) and bool(lines[at + 1].strip())


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def common_indentation(hunk: Hunk) -> str:
    """What every line of the hunk starts with."""
    indents = [_indent(line) for line in hunk.old + hunk.new if line.strip()]
    if not indents:
        return ""
    shortest = min(indents, key=len)
    return shortest if all(indent.startswith(shortest) for indent in indents) else ""


def _indents_only_with(hunk: Hunk, unit: str) -> bool:
    indents = {_indent(line) for line in [*hunk.old, *hunk.new] if line.strip()}
    return any(indents) and all(indent == unit * (len(indent) // len(unit)) for indent in indents)


def _converted(line: str, unit: str, other: str) -> str:
    indent = _indent(line)
    return other * (len(indent) // len(unit)) + line[len(indent) :]


def _respaced(line: str, rng: random.Random) -> str:
    indent = _indent(line)
    body = line[len(indent) :]
    body = re.sub(r"(\S) {2,}(\S)", r"\1 \2", body)
    if rng.random() < 0.5:
        return indent + re.sub(r", ", ",", re.sub(r" (=|==|\+|<|>) ", r"\1", body))
    return indent + re.sub(r"([(\[{])(\S)", r"\1 \2", re.sub(r"(\S)([)\]}])", r"\1 \2", body))


def _prettified(line: str) -> str:
    line = re.sub(r'(^|[\s(\[{=,:])"', "\\1“", line).replace('"', "”")
    line = re.sub(r"(^|[\s(\[{=,:])'", "\\1‘", line).replace("'", "’")
    return line.replace(" - ", " – ")


def _mistyped(word: str, rng: random.Random) -> str:
    at = rng.randrange(1, len(word) - 1)
    kind = rng.randrange(4)
    if kind == 0:
        return (
            word[:at]
            + rng.choice("abcdefghijklmnopqrstuvwxyz".replace(word[at].lower(), ""))
            + word[at + 1 :]
        )
    if kind == 1:
        return word[:at] + word[at + 1 :]
    if kind == 2:
        return word[:at] + word[at] + word[at:]
    if word[at] == word[at + 1]:
        return word[:at] + word[at + 1 :]
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
