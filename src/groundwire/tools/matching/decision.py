"""What looking for the place of an edit ends in: an `Edit`, or a `Refusal` that says why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Strategy(StrEnum):
    """How the place was found, from the strictest to the loosest."""

    EXACT = "exact"
    TRAILING_SPACE = "trailing space"
    INDENTATION = "indentation"
    PUNCTUATION = "punctuation"
    SPACING = "spacing"
    FRAGMENT = "fragment"
    BLANK_LINES = "blank lines"
    ELISION = "elision"
    TYPO = "typo"


class Reason(StrEnum):
    """Why nothing was edited."""

    NOT_FOUND = "not found"
    AMBIGUOUS = "ambiguous"
    """Two places or more could be meant."""
    UNCERTAIN = "uncertain"
    """The place is known, what should stand there is not."""
    ALREADY_DONE = "already done"
    """The text to be put there is there."""
    NO_CHANGE = "no change"
    """Old and new text are the same."""


@dataclass(frozen=True, slots=True)
class LineRange:
    """Lines of the file before the edit, 1-based, both ends included."""

    first: int
    last: int

    def __str__(self) -> str:
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"


@dataclass(frozen=True, slots=True)
class Splice:
    """One change of a text: what stands from `start` to `end` gives way to `text`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Edit:
    """A place was found, and what must change there."""

    text: str
    """The whole text after the edit."""
    splices: tuple[Splice, ...]
    strategy: Strategy
    places: tuple[LineRange, ...]
    undecorated: str = ""
    """What had to be taken off the strings first, such as line numbers; empty when nothing."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Lines that may have been meant, and how they differ from what was asked for."""

    place: LineRange
    difference: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """No place was certain. The candidates are there so that the next try succeeds."""

    reason: Reason
    explanation: str
    found: int = 0
    candidates: tuple[Candidate, ...] = ()


class Uncertain(Exception):
    """Raised inside this package while a change is laid onto the file: the result would be a guess."""

    def __init__(self, explanation: str, reason: Reason = Reason.UNCERTAIN) -> None:
        super().__init__(explanation)
        self.explanation = explanation
        self.reason = reason
