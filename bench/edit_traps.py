"""Traps for editors: the caller is mistaken about the file, and the only right answer is no.

Each is a function from a hunk to a `Case` without a meant text, or None where it does not apply. The old
lines stand in the file twice or not at all, in whatever indentation: an editor that finds them in one place
would be right.
"""

from __future__ import annotations

import random
import re

from bench.edit_hunks import Hunk, squeeze
from bench.edit_mistakes import Case, Mistake, common_indentation, meant


def _trap(hunk: Hunk, text: str) -> Case | None:
    """The old lines must not be in the file, in whatever indentation: then the call would be right."""
    if squeeze("\n".join(hunk.old)) in squeeze(text):
        return None
    return Case(text, "\n".join(hunk.old), "\n".join(hunk.new), None)


def deleted_block(hunk: Hunk, rng: random.Random) -> Case | None:
    """The lines are no longer in the file; what is like them is something else."""
    lines = [*hunk.lines[: hunk.start], *hunk.lines[hunk.end :]]
    return _trap(hunk, "\n".join(lines)) if len([line for line in hunk.old if line.strip()]) > 1 else None


def changed_since(hunk: Hunk, rng: random.Random) -> Case | None:
    """Someone changed a line that is to be replaced; the caller has not seen it."""
    places = [(at, match) for at, line in enumerate(hunk.removed) for match in re.finditer(r"\w{2,}", line)]
    if not places:
        return None
    at, match = rng.choice(places)
    lines = list(hunk.lines)
    where = hunk.start + len(hunk.above) + at
    lines[where] = (
        lines[where][: match.start()]
        + rng.choice(["other", "x9", match[0] + "2"])
        + lines[where][match.end() :]
    )
    return _trap(hunk, "\n".join(lines))


def sibling(hunk: Hunk, rng: random.Random) -> Case | None:
    """The block is gone and one like it is there, with another name in a line that stays."""
    words = sorted(set(re.findall(r"[A-Za-z_]\w{2,}", "\n".join(hunk.lines))))
    places = [(at, match) for at, line in enumerate(hunk.above + hunk.below)
              for match in re.finditer(r"[A-Za-z_]\w{2,}", line)]  # fmt: skip
    if not places or len(words) < 5:
        return None
    at, match = rng.choice(places)
    other = rng.choice([word for word in words if word != match[0]])
    line = (hunk.above + hunk.below)[at]
    lines = list(hunk.lines)
    where = hunk.start + (at if at < len(hunk.above) else at + len(hunk.removed))
    lines[where] = line[: match.start()] + other + line[match.end() :]
    return _trap(hunk, "\n".join(lines))


def standing_twice(hunk: Hunk, rng: random.Random) -> Case | None:
    """The block stands twice, the caller's indentation is not that of either."""
    common = common_indentation(hunk)
    if len(common) < 2 or not "".join(hunk.old).strip():
        return None
    lines = [*hunk.lines, *hunk.old]
    old, new = ("\n".join(line[len(common) :] if line.strip() else line for line in part)
                for part in (hunk.old, hunk.new))  # fmt: skip
    if old in "\n".join(lines):
        return None
    return Case("\n".join(lines), old, new, None)


def already_done(hunk: Hunk, rng: random.Random) -> Case | None:
    """The file has the new lines already. The old lines may not stand in it as well."""
    return _trap(hunk, meant(hunk)) if "".join(hunk.added).strip() else None


TRAPS: dict[str, Mistake] = {
    function.__name__.replace("_", " "): function
    for function in (deleted_block, changed_since, sibling, standing_twice, already_done)
}
