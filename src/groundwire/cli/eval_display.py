"""A run of an evaluation on the screen: a table that fills up on a terminal, a line per attempt elsewhere."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TextIO

from groundwire.cli.printable import printable
from groundwire.evaluation.results import Key, Result, Status
from groundwire.evaluation.summary import Comparison, by_toolset, comparisons, summarised

if TYPE_CHECKING:
    from rich.table import Table

    from groundwire.evaluation.attempt import Attempt

_SIGNS = {Status.RESOLVED: "✓", Status.UNRESOLVED: "✗", Status.STOPPED: "■", Status.ERROR: "!"}


def display_on(stream: TextIO) -> LinesDisplay:
    """The display that suits a stream."""
    return TableDisplay(stream) if stream.isatty() else LinesDisplay(stream)


class LinesDisplay:
    """A line for each finished attempt."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._began = time.monotonic()
        self.attempts = 0
        self.results: dict[Key, Result] = {}
        self.running: dict[Key, float] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.flush()

    def planned(self, attempts: int, done: Sequence[Result]) -> None:
        """So many attempts in all, of which these are finished already."""
        self.attempts = attempts
        self.results = {result.key: result for result in done}
        again = f", {len(done)} of them finished before" if done else ""
        self._say(f"{attempts} {'attempt' if attempts == 1 else 'attempts'}{again}")

    def started(self, attempt: Attempt) -> None:
        """An attempt begins."""
        self.running[attempt.key] = time.monotonic()

    def finished(self, result: Result) -> None:
        """An attempt is over."""
        self.running.pop(result.key, None)
        self.results[result.key] = result
        self._say(f"[{len(self.results)}/{self.attempts}] {_line(result)}")

    def closing(self, results: Sequence[Result]) -> str:
        """What a person reads in the end."""
        groups = by_toolset(results)
        lines = []
        for name, group in groups.items():
            one = summarised(group)
            lines.append(
                f"{name:<8} {one.resolved_count} of {one.attempts} resolved "
                f"({one.resolved.low:.0%}–{one.resolved.high:.0%}), {one.turns:.2f} turns, "
                f"{one.edit_failures} of {one.edits} edits failed"
                + (f", {one.stopped} stopped by a limit" if one.stopped else "")
            )
        lines += [_comparison_line(pair) for pair in comparisons(results) if pair.pairs]
        return "\n".join([*lines, *_not_made(results)])

    def _say(self, words: str) -> None:
        print(words, file=self._stream, flush=True)


class TableDisplay(LinesDisplay):
    """A table of the toolsets, with what is being worked on below it."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        from rich.console import Console
        from rich.live import Live

        self._live: Any = Live(
            console=Console(file=stream), get_renderable=self._table, refresh_per_second=4, transient=False
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def _say(self, words: str) -> None:
        """Lines would push the table away."""

    def _table(self) -> Table:
        from rich.table import Table

        table = Table(
            title=self._title(), caption=self._caption(), title_justify="left", caption_justify="left"
        )
        for head in ("toolset", "done", "resolved", "turns", "failed edits", "stopped", "not made"):
            table.add_column(head, justify="left" if head == "toolset" else "right")
        for name, group in by_toolset(self.results.values()).items():
            one = summarised(group)
            table.add_row(
                name,
                f"{one.attempts + one.errors}",
                f"{one.resolved_count} ({one.resolved.estimate:.0%})",
                f"{one.turns:.2f}",
                f"{one.edit_failures}",
                f"{one.stopped}",
                f"{one.errors}",
            )
        return table

    def _title(self) -> str:
        done, gone = len(self.results), time.monotonic() - self._began
        return f"{done} of {self.attempts} attempts, {gone:.0f} s"

    def _caption(self) -> str:
        now = time.monotonic()
        newest = sorted(self.running.items(), key=lambda item: item[1])[:6]
        return "\n".join(f"{_name(key)}  {now - began:.0f} s" for key, began in newest)


def _not_made(results: Sequence[Result]) -> list[str]:
    """That some attempts could not be made, why the first could not, and what to do."""
    missing = [result for result in results if not result.was_made]
    if not missing:
        return []
    which = f"{len(missing)} of {len(results)} attempts could not be made and are not in these numbers."
    return [which, f"The first: {_line(missing[0])}", "The same command makes them again."]


def _comparison_line(pair: Comparison) -> str:
    resolved, turns = pair.resolved, pair.turns
    known = f", p = {pair.p_value:.2g}" if pair.p_value is not None else ""
    return (
        f"{pair.first} − {pair.second}: {resolved.estimate:+.1%} resolved "
        f"({resolved.low:+.1%} … {resolved.high:+.1%}{known}), "
        f"{turns.estimate:+.2f} turns ({turns.low:+.2f} … {turns.high:+.2f})"
    )


def _name(key: Key) -> str:
    return printable(f"{key.task}  {key.toolset}  {key.model}")


def _line(result: Result) -> str:
    told = f"{_SIGNS[result.status]} {_name(result.key)}  {result.turns} turns"
    if result.edit_failures:
        told += f", {result.edit_failures} failed edits"
    return told if result.resolved else f"{told}: {printable(result.reason)}"
