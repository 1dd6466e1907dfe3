"""Token spacing: merging a changed line token by token, so that the file's own spacing survives."""

from __future__ import annotations

from collections.abc import Callable

from groundwire.tools.diff import blocks
from groundwire.tools.matching.decision import Uncertain
from groundwire.tools.matching.keys import Token, tokens


def merge_line(old: str, there: str, new: str, written: Callable[[str], str]) -> str:
    """The file's line `there` with the change from `old` to `new` made in it, indentation left off.

    `old` and `there` have the same tokens. Tokens that `new` keeps stay as the file has them, with the
    blanks the file has before them unless `new` changed those; others are `written` as new text.
    """
    ours, theirs, wanted = tokens(old), tokens(there), tokens(new)
    if [token.normal for token in ours] != [token.normal for token in theirs]:
        return written(new.strip())
    return merge_tokens(ours, theirs, wanted, written).strip()


def merge_tokens(
    ours: list[Token], theirs: list[Token], wanted: list[Token], written: Callable[[str], str]
) -> str:
    """The text of `theirs` with the change from `ours` to `wanted` made in it.

    Its tokens are those of `wanted`, or the merge is uncertain: words that lost the blank between them.
    """
    merged = "".join(_pieces(ours, theirs, wanted, written))
    if [token.normal for token in tokens(merged)] != [token.normal for token in wanted]:
        raise Uncertain("the blanks of the file and of new_string do not go together")
    return merged


def _pieces(
    ours: list[Token], theirs: list[Token], wanted: list[Token], written: Callable[[str], str]
) -> list[str]:
    """The tokens of the result, each with the blanks before it."""
    made: list[str] = []
    reached = 0
    for block in [*blocks([token.text for token in ours], [token.text for token in wanted]), None]:
        kept_until = block.new_start if block else len(wanted)
        kept_from_old = (block.old_start if block else len(ours)) - kept_until
        for at_new in range(reached, kept_until):
            at_old = at_new + kept_from_old
            blanks = _blanks(ours[at_old], theirs[at_old], wanted[at_new], written)
            made.append(blanks + theirs[at_old].text)
        if block is None:
            break
        for at_new in range(block.new_start, block.new_end):
            at_old = block.old_start + at_new - block.new_start
            blanks = written(wanted[at_new].blanks)
            if at_old < block.old_end:
                blanks = _blanks(ours[at_old], theirs[at_old], wanted[at_new], written)
            made.append(blanks + written(wanted[at_new].text))
        reached = block.new_end
    return made


def _blanks(ours: Token, theirs: Token, wanted: Token, written: Callable[[str], str]) -> str:
    """The file's blanks, unless the new text asks for others than the old text had."""
    return theirs.blanks if ours.blanks == wanted.blanks else written(wanted.blanks)
