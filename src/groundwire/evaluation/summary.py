"""The numbers of a run: for each toolset, and for pairs of toolsets on the same tasks.

An attempt that could not be made (no connection, no quota) is counted as that and nowhere else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from groundwire.evaluation.replay import is_replay
from groundwire.evaluation.results import Key, Result, Status
from groundwire.evaluation.statistics import Interval, bootstrap, mcnemar, mean, wilson


class Course(StrEnum):
    """How an attempt went, seen from its edits."""

    AT_ONCE = "at once"
    """Resolved, and no edit failed."""
    RECOVERED = "recovered"
    """Resolved after an edit was refused."""
    DAMAGED = "damaged"
    """Resolved, but the files are not what the reference fix makes of them (known for replays only)."""
    FAILED = "failed"
    """Not resolved."""
    NOT_MADE = "not made"
    """It could not be made, so that nothing is known."""


@dataclass(frozen=True, slots=True)
class ToolsetSummary:
    """What one toolset came to."""

    toolset: str
    attempts: int
    """Those that were made: what all shares and means are of."""
    resolved: Interval
    resolved_count: int
    stopped: int
    errors: int
    """Attempts that could not be made."""
    turns: float
    calls: float
    edits: int
    edit_failures: int
    tool_errors: dict[str, int]
    courses: dict[Course, int]
    refused: int
    """Attempts with an edit that was refused."""
    recovered: int
    """Those of them that were resolved without damage all the same."""
    silent: int
    """Attempts that went wrong although no edit was refused: the model could not know."""
    tokens: float
    cost: float | None
    """In all, what was spent on attempts that came to nothing included."""
    seconds: float
    test_seconds: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two toolsets on the same tasks with the same model. Differences are first minus second."""

    first: str
    second: str
    pairs: int
    both: int
    only_first: tuple[Key, ...]
    only_second: tuple[Key, ...]
    neither: int
    p_value: float | None
    """McNemar's; None when tasks were tried more than once, because such pairs are not independent."""
    resolved: Interval
    turns: Interval
    edit_failures: Interval
    tokens: Interval


def course_of(result: Result) -> Course:
    """How an attempt went."""
    if not result.was_made:
        return Course.NOT_MADE
    if not result.resolved:
        return Course.FAILED
    if result.as_reference is False and is_replay(result.key.model):
        return Course.DAMAGED
    return Course.RECOVERED if result.edit_failures else Course.AT_ONCE


def went_wrong(result: Result) -> bool:
    """Whether an attempt ended with other files than were meant."""
    return course_of(result) in (Course.DAMAGED, Course.FAILED)


def summarised(results: Sequence[Result]) -> ToolsetSummary:
    """The summary of the attempts of one toolset."""
    courses = Counter(course_of(result) for result in results)
    costs = [result.cost for result in results if result.cost is not None]
    toolset = results[0].key.toolset if results else ""
    results = [result for result in results if result.was_made]
    resolved = sum(result.resolved for result in results)
    kinds: Counter[str] = Counter()
    for result in results:
        kinds.update(result.tool_errors)
    return ToolsetSummary(
        toolset=toolset,
        attempts=len(results),
        resolved=wilson(resolved, len(results)),
        resolved_count=resolved,
        stopped=sum(result.status is Status.STOPPED for result in results),
        errors=courses[Course.NOT_MADE],
        turns=mean([result.turns for result in results]),
        calls=mean([result.calls for result in results]),
        edits=sum(result.edits for result in results),
        edit_failures=sum(result.edit_failures for result in results),
        tool_errors=dict(kinds.most_common()),
        courses={course: courses[course] for course in Course},
        refused=sum(result.edit_failures > 0 for result in results),
        recovered=courses[Course.RECOVERED],
        silent=sum(went_wrong(result) and not result.edit_failures for result in results),
        tokens=mean([result.tokens for result in results]),
        cost=sum(costs) if costs else None,
        seconds=mean([result.seconds for result in results]),
        test_seconds=mean([result.test_seconds for result in results]),
    )


def by_toolset(results: Iterable[Result]) -> dict[str, list[Result]]:
    """The results of each toolset, toolsets in the order of the alphabet."""
    grouped: dict[str, list[Result]] = {}
    for result in sorted(results, key=lambda result: result.key):
        grouped.setdefault(result.key.toolset, []).append(result)
    return dict(sorted(grouped.items()))


def by_model(results: Iterable[Result]) -> dict[str, list[Result]]:
    """The results of each model, models in the order they first appear."""
    grouped: dict[str, list[Result]] = {}
    for result in results:
        grouped.setdefault(result.key.model, []).append(result)
    return grouped


def compared(first: str, second: str, results: Iterable[Result]) -> Comparison:
    """Two toolsets compared on the attempts both of them made."""
    made = {result.key: result for result in results if result.was_made}
    pairs = []
    for key, result in sorted(made.items()):
        other = made.get(key._replace(toolset=second))
        if key.toolset == first and other is not None:
            pairs.append((result, other))
    groups = [one.key.task for one, _ in pairs]
    only_first = tuple(one.key for one, two in pairs if one.resolved and not two.resolved)
    only_second = tuple(two.key for one, two in pairs if two.resolved and not one.resolved)
    both = sum(one.resolved and two.resolved for one, two in pairs)

    def difference(numbers: Sequence[tuple[float, float]]) -> Interval:
        return bootstrap([one - two for one, two in numbers], groups)

    return Comparison(
        first=first,
        second=second,
        pairs=len(pairs),
        both=both,
        only_first=only_first,
        only_second=only_second,
        neither=len(pairs) - both - len(only_first) - len(only_second),
        p_value=mcnemar(len(only_first), len(only_second)) if len(set(groups)) == len(groups) else None,
        resolved=difference([(one.resolved, two.resolved) for one, two in pairs]),
        turns=difference([(one.turns, two.turns) for one, two in pairs]),
        edit_failures=difference([(one.edit_failures, two.edit_failures) for one, two in pairs]),
        tokens=difference([(one.tokens, two.tokens) for one, two in pairs]),
    )


def comparisons(results: Sequence[Result]) -> list[Comparison]:
    """Every pair of toolsets of a run."""
    names = list(by_toolset(results))
    return [compared(one, two, results) for at, one in enumerate(names) for two in names[at + 1 :]]
