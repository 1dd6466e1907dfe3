"""From an old and a new string to an edit: strategies from strict to loose, the first that finds decides.

1. exact, literally; then exact with decoration taken off (`readings`)
2. trailing blanks ignored       5. blanks between tokens ignored
3. leading blanks ignored        6. blank lines dropped or added
4. typographic marks folded      7. tokens, across and within lines
8. an elided middle              9. one mistyped letter in a line that stays

A strategy that finds two places ends the search with a refusal: a looser one could only guess. From 2 on
nothing is pasted; the change is merged into the file's own lines (`merge`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from groundwire.tools.matching.alignment import Alignment, straight
from groundwire.tools.matching.blank_lines import blank_line_alignments
from groundwire.tools.matching.decision import Edit, LineRange, Reason, Refusal, Splice, Strategy, Uncertain
from groundwire.tools.matching.document import Document
from groundwire.tools.matching.elision import elision_alignments
from groundwire.tools.matching.exact import ExactMatches
from groundwire.tools.matching.fragment import FragmentMatches
from groundwire.tools.matching.keys import Key, key_of
from groundwire.tools.matching.merge import merge
from groundwire.tools.matching.nearest import candidate, nearest
from groundwire.tools.matching.readings import Reading, readings
from groundwire.tools.matching.typo import typo_alignments
from groundwire.tools.matching.windows import MOST_HITS, windows

Aligner = Callable[[Document, Reading], list[Alignment]]


@dataclass(frozen=True, slots=True)
class _Hit:
    """One place, and how to make the change there; making it may turn out uncertain."""

    place: LineRange
    splices: Callable[[], list[Splice]]


def find_edit(text: str, old: str, new: str, *, multiple: bool = False) -> Edit | Refusal:
    """The edit that replaces `old` by `new` in `text`; every occurrence of it when `multiple`."""
    document = Document(text)
    given, *undecorated = readings(old.replace("\r\n", "\n"), new.replace("\r\n", "\n"))
    for strategy, find in _strategies(multiple):
        hits = find(document, given)
        if hits:
            return _decide(document, given, strategy, hits, multiple)
        outcomes = [
            _decide(document, reading, strategy, hits, multiple)
            for reading in undecorated
            if reading.old != reading.new and (hits := find(document, reading))
        ]
        if outcomes:
            return _agreed(outcomes)
        if not given.old.strip():
            break  # blanks alone: only an exact match means anything
    return Refusal(
        Reason.NOT_FOUND, "old_string is not in the file", candidates=nearest(document, given.old_lines)
    )


Finder = Callable[[Document, Reading], list[_Hit]]


def _strategies(multiple: bool) -> Iterator[tuple[Strategy, Finder]]:
    yield Strategy.EXACT, _exactly(multiple)
    yield Strategy.TRAILING_SPACE, _by_lines(Key.TRAILING)
    yield Strategy.INDENTATION, _by_lines(Key.TRIMMED)
    yield Strategy.PUNCTUATION, _by_lines(Key.FOLDED)
    yield Strategy.SPACING, _by_lines(Key.SPACING)
    yield (
        Strategy.BLANK_LINES,
        _by_alignment(lambda document, reading: blank_line_alignments(document, reading.old_lines)),
    )
    yield Strategy.FRAGMENT, _by_fragment
    yield Strategy.ELISION, _by_alignment(elision_alignments)
    if not multiple:  # almost equal lines are not occurrences
        yield Strategy.TYPO, _by_alignment(typo_alignments)


# -- finding --------------------------------------------------------------------------------------------


def _exactly(multiple: bool) -> Finder:
    def find(document: Document, reading: Reading) -> list[_Hit]:
        if not reading.old:
            return []
        matches = ExactMatches(document, reading.old)
        starts = matches.starts if multiple else matches.starts + matches.overlapping
        return [
            _Hit(matches.place(start), lambda start=start: [matches.splice(start, reading.new)])  # type: ignore[misc]
            for start in starts
        ]

    return find


def _by_lines(key: Key) -> Finder:
    def find(document: Document, reading: Reading) -> list[_Hit]:
        old = reading.old_lines
        starts = windows(document.keys(key), [key_of(key, line) for line in old])
        return [_hit(document, reading, straight(start, len(old))) for start in starts]

    return find


def _by_alignment(align: Aligner) -> Finder:
    def find(document: Document, reading: Reading) -> list[_Hit]:
        try:
            return [_hit(document, reading, alignment) for alignment in align(document, reading)]
        except Uncertain as uncertain:
            return [_Hit(LineRange(1, 1), _raising(uncertain))]

    return find


def _by_fragment(document: Document, reading: Reading) -> list[_Hit]:
    matches = FragmentMatches(document, reading)
    return [
        _Hit(matches.place(span), lambda span=span: [matches.splice(span)])  # type: ignore[misc]
        for span in matches.spans
    ]


def _hit(document: Document, reading: Reading, alignment: Alignment) -> _Hit:
    place = LineRange(alignment.first + 1, alignment.last + 1)
    return _Hit(place, lambda: merge(document, reading, alignment))


def _raising(uncertain: Uncertain) -> Callable[[], list[Splice]]:
    def raise_it() -> list[Splice]:
        raise uncertain

    return raise_it


# -- deciding -------------------------------------------------------------------------------------------


def _decide(
    document: Document, reading: Reading, strategy: Strategy, hits: list[_Hit], multiple: bool
) -> Edit | Refusal:
    if len(hits) > 1 and not multiple:
        return _ambiguous(document, reading, hits)
    if reading.line is not None and reading.line != hits[0].place.first:
        return Refusal(Reason.UNCERTAIN, f"line {reading.line} of the file is not the one old_string shows")
    if len(hits) >= MOST_HITS and strategy is not Strategy.EXACT:
        return Refusal(Reason.UNCERTAIN, f"old_string fits inexactly {MOST_HITS} times or more", len(hits))
    if reading.old == reading.new:
        return Refusal(Reason.NO_CHANGE, "old_string and new_string are identical", found=len(hits))
    chosen = _apart(hits) if strategy is not Strategy.EXACT else hits
    try:
        splices = [splice for hit in chosen for splice in hit.splices()]
    except Uncertain as uncertain:
        shown = tuple(candidate(document, hit.place.first - 1, reading.old_lines) for hit in chosen[:3])
        return Refusal(uncertain.reason, uncertain.explanation, len(chosen), shown)
    text = _spliced(document.text, splices)
    if strategy is not Strategy.EXACT or reading.old.rstrip("\n") != reading.new.rstrip("\n"):
        text = _with_final_ending(document, text)
    if text == document.text:
        return Refusal(Reason.ALREADY_DONE, "the file already reads as new_string wants it", len(chosen))
    return Edit(text, tuple(splices), strategy, tuple(hit.place for hit in chosen), reading.removed)


def _ambiguous(document: Document, reading: Reading, hits: list[_Hit]) -> Refusal:
    places = sorted({hit.place.first for hit in hits})
    shown = tuple(candidate(document, first - 1, reading.old_lines) for first in places[:3])
    named = ", ".join(str(first) for first in places[:20]) + (", ..." if len(places) > 20 else "")
    return Refusal(Reason.AMBIGUOUS, f"old_string fits at lines {named}", len(hits), shown)


def _agreed(outcomes: list[Edit | Refusal]) -> Edit | Refusal:
    """The outcome of several readings: all must come to the same text."""
    texts = {outcome.text if isinstance(outcome, Edit) else None for outcome in outcomes}
    if len(texts) == 1:
        return outcomes[0]
    return Refusal(Reason.UNCERTAIN, "old_string can be read in two ways that lead to different edits")


def _apart(hits: list[_Hit]) -> list[_Hit]:
    """The hits from the top, without those that share lines with the one before."""
    kept: list[_Hit] = []
    for hit in hits:
        if not kept or hit.place.first > kept[-1].place.last:
            kept.append(hit)
    return kept


def _spliced(text: str, splices: list[Splice]) -> str:
    parts: list[str] = []
    reached = 0
    for splice in sorted(splices, key=lambda splice: splice.start):
        parts += (text[reached : splice.start], splice.text)
        reached = splice.end
    return "".join([*parts, text[reached:]])


def _with_final_ending(document: Document, text: str) -> str:
    """A file that ended its last line still does, and one that did not still does not."""
    if not text or not document.text:
        return text
    if document.text.endswith("\n"):
        return text if text.endswith("\n") else text + document.usual_ending
    if text.endswith("\n"):
        return text[: -2 if text.endswith("\r\n") else -1]
    return text
