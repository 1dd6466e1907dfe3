"""The report of a run: one HTML page with tables and charts, and a page for each attempt.

The page needs no network and no script. Everything in it is computed from the results, so it can be made
again.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import msgspec

from groundwire.evaluation import charts
from groundwire.evaluation.mistakes import described
from groundwire.evaluation.page import legend, page, table
from groundwire.evaluation.replay import is_replay
from groundwire.evaluation.results import TRANSCRIPTS, Result, Status
from groundwire.evaluation.statistics import Interval, wilson
from groundwire.evaluation.summary import (
    Comparison,
    Course,
    ToolsetSummary,
    by_model,
    by_toolset,
    comparisons,
    course_of,
    summarised,
)
from groundwire.evaluation.transcript import transcript_page

REPORT = "report.html"
STYLES = {
    Course.AT_ONCE: "good",
    Course.RECOVERED: "mended",
    Course.DAMAGED: "damaged",
    Course.FAILED: "bad",
    Course.NOT_MADE: "absent",
}
SIGNS = {
    Course.AT_ONCE: "✓",
    Course.RECOVERED: "↻",
    Course.DAMAGED: "≠",
    Course.FAILED: "✗",
    Course.NOT_MADE: "!",
}
WALLS = {
    "processes": "their own process namespace",
    "network": "no network",
    "files": "a read-only file system but for the task's folder",
    "landlock": "Landlock",
}


def write_report(folder: Path, results: Sequence[Result]) -> Path:
    """Write the page and the pages of all attempts; the page's path."""
    for result in results:
        source = folder / TRANSCRIPTS / f"{result.key.slug}.json"
        told = transcript_page(result, _history(source))
        source.with_suffix(".html").write_text(told, encoding="utf-8")
    path = folder / REPORT
    path.write_text(report_page(results), encoding="utf-8")
    return path


def report_page(results: Sequence[Result]) -> str:
    """The whole page."""
    toolsets = {name: summarised(group) for name, group in by_toolset(results).items()}
    models = list(by_model(results))
    replayed = bool(models) and all(map(is_replay, models))
    sections = [
        _head(results, models, replayed),
        "<h2>Toolsets</h2>",
        _toolset_table(list(toolsets.values()), replayed),
        _charts(results, toolsets),
        *(_comparison(comparison) for comparison in comparisons(results)),
    ]
    if replayed and len(models) > 1:
        sections.append(_mistakes(results))
    sections += [_errors(toolsets), _stopped(results), _attempts(results), _method(results, replayed)]
    return page("Evaluation of toolsets", "\n".join(filter(None, sections)))


def _head(results: Sequence[Result], models: Sequence[str], replayed: bool) -> str:
    tasks = len({result.key.task for result in results})
    who = "the replay model" if replayed else ", ".join(models)
    variants = f" in {len(models)} variants" if replayed and len(models) > 1 else ""
    missing = sum(not result.was_made for result in results)
    apart = (
        f"<p>{missing} of the attempts could not be made. They count nowhere below but in their own row: "
        "nothing is known of them. The same command makes them again.</p>"
    )
    return (
        "<h1>Which toolset gets the task done?</h1>"
        f'<p class="soft">{tasks} tasks, {escape(who)}{variants}, {len(results)} attempts. '
        f"Every patch was graded by the task's own tests in a fresh checkout.</p>{apart if missing else ''}"
    )


def _toolset_table(summaries: Sequence[ToolsetSummary], replayed: bool) -> str:
    heads = ["", *(escape(summary.toolset) for summary in summaries)]
    tokens = "tokens per attempt, estimated" if replayed else "tokens per attempt"
    rows: list[tuple[str, list[str]]] = [
        ("attempts", [f"{one.attempts}" for one in summaries]),
        ("resolved", [f"{one.resolved_count} ({_share(one.resolved)})" for one in summaries]),
        ("turns per attempt", [f"{one.turns:.2f}" for one in summaries]),
        ("tool calls per attempt", [f"{one.calls:.2f}" for one in summaries]),
        ("edits, of them failed", [f"{one.edits}, {one.edit_failures}" for one in summaries]),
        ("tool errors", [f"{sum(one.tool_errors.values())}" for one in summaries]),
        (tokens, [f"{one.tokens:,.0f}" for one in summaries]),
        ("cost in all", ["not known" if one.cost is None else f"${one.cost:,.4f}" for one in summaries]),
        (
            "seconds of the agent, of the tests",
            [f"{one.seconds:.2f}, {one.test_seconds:.2f}" for one in summaries],
        ),
        ("stopped by a limit, could not be made", [f"{one.stopped}, {one.errors}" for one in summaries]),
    ]
    if replayed:
        rows[2:2] = [
            ("recovered after a refused edit", [_recovery(one) for one in summaries]),
            ("went wrong with no edit refused", [f"{one.silent}" for one in summaries]),
        ]
    return table(heads, [(name, *cells) for name, cells in rows])


def _recovery(summary: ToolsetSummary) -> str:
    return f"{summary.recovered} of {summary.refused} ({_share(wilson(summary.recovered, summary.refused))})"


def _charts(results: Sequence[Result], toolsets: dict[str, ToolsetSummary]) -> str:
    grouped = by_toolset(results)
    resolved = charts.shares(
        {name: one.resolved for name, one in toolsets.items()},
        {name: f"{one.resolved_count} of {one.attempts}" for name, one in toolsets.items()},
    )
    turns = charts.histogram(
        {name: [result.turns for result in group if result.was_made] for name, group in grouped.items()}
    )
    keys = legend({name: f"series-{at % 4}" for at, name in enumerate(grouped)})
    return (
        f'<div class="columns"><div><h2>Resolved</h2>{resolved}'
        f'<p class="soft">The whisker is the 95% interval (Wilson).</p></div>'
        f"<div><h2>Turns</h2>{turns}{keys}</div></div>"
    )


def _comparison(comparison: Comparison) -> str:
    one, two = escape(comparison.first), escape(comparison.second)
    if not comparison.pairs:
        return ""
    heads = ["", f"{one} − {two}", "95% interval", ""]
    rows = [
        _difference("share resolved", comparison.resolved, "{:+.1%}"),
        _difference("turns", comparison.turns, "{:+.2f}"),
        _difference("failed edits", comparison.edit_failures, "{:+.2f}"),
        _difference("tokens", comparison.tokens, "{:+,.0f}"),
    ]
    return (
        f"<h2>{one} against {two}</h2>"
        f"<p>{comparison.pairs} pairs: the same task with the same model. Both resolved {comparison.both}, "
        f"only {one} {len(comparison.only_first)}, only {two} {len(comparison.only_second)}, "
        f"neither {comparison.neither}. "
        f"{_verdict(comparison)}</p>{table(heads, rows)}"
    )


def _difference(name: str, interval: Interval, form: str) -> tuple[str, ...]:
    told = "" if interval.excludes_zero else "no difference can be told"
    bounds = f"{form.format(interval.low)} … {form.format(interval.high)}"
    return name, form.format(interval.estimate), bounds, f'<td class="soft">{told}</td>'


def _verdict(comparison: Comparison) -> str:
    """Whether the two differ in what they resolve, and how that is known."""
    p, interval = comparison.p_value, comparison.resolved
    how = "the interval below" if p is None else f"McNemar's exact test, p = {p:.2g}"
    if p >= 0.05 if p is not None else not interval.excludes_zero:
        return f"That is no evidence that they differ in what they resolve ({how})."
    names = (comparison.first, comparison.second)
    more, fewer = names if interval.estimate > 0 else names[::-1]
    return f"{escape(more)} resolves more than {escape(fewer)} ({how})."


def _mistakes(results: Sequence[Result]) -> str:
    """How each mistake came out with each toolset; and the same as a table with turns."""
    rows: dict[str, dict[str, int]] = {}
    listed = []
    for model, group in by_model(results).items():
        variant = model.partition(":")[2]
        cells = [f"<td>{escape(variant)}<br><span class=soft>{escape(described(variant))}</span></td>"]
        for toolset, attempts in by_toolset(group).items():
            summary = summarised(attempts)
            rows[f"{variant}|{toolset}"] = {course.value: summary.courses[course] for course in Course}
            cells += [
                " ".join(f"{SIGNS[course]} {n}" for course, n in summary.courses.items() if n),
                f"{summary.turns:.1f}",
            ]
        listed.append(cells)
    names = list(by_toolset(results))
    courses = {course_of(result) for result in results} | set(Course) - {Course.NOT_MADE}
    colours = {course.value: STYLES[course] for course in Course if course in courses}
    heads = ["mistake", *(word for name in names for word in (escape(name), "turns"))]
    explained = (
        "The replay model makes one mistake in the first call of each edit. A toolset sees what was meant "
        "(at once), refuses so that the model can do better (recovered), writes something else "
        "(damaged), or the task stays unsolved (failed)."
    )
    return (
        f"<h2>Mistakes</h2><p>{explained}</p>{legend(colours)}{charts.stacked(rows, colours)}"
        f"<details><summary>As a table, with the turns needed</summary>{table(heads, listed)}</details>"
    )


def _errors(toolsets: dict[str, ToolsetSummary]) -> str:
    kinds = sorted({kind for one in toolsets.values() for kind in one.tool_errors})
    if not kinds:
        return "<h2>Tool errors by kind</h2><p>There were none.</p>"
    rows = {kind: [one.tool_errors.get(kind, 0) for one in toolsets.values()] for kind in kinds}
    keys = legend({name: f"series-{at % 4}" for at, name in enumerate(toolsets)})
    return f"<h2>Tool errors by kind</h2>{charts.counts(rows, list(toolsets))}{keys}"


def _stopped(results: Sequence[Result]) -> str:
    bad = [result for result in results if result.status in (Status.STOPPED, Status.ERROR)]
    if not bad:
        return ""
    rows = [
        (
            _link(result, escape(result.key.task)),
            *map(escape, (*result.key[1:], result.status.value, result.reason)),
        )
        for result in bad
    ]
    heads = ("task", "toolset", "model", "status", "what happened")
    return f"<h2>Stopped, or not made</h2>{table(heads, rows, numbers_from=9)}"


def _attempts(results: Sequence[Result]) -> str:
    """Tasks down, toolsets (and variants) across; each mark leads to the transcript."""
    models = list(by_model(results))
    shown = _matrix(results, models) if len(models) > 1 else _details(results)
    return f"<h2>Attempts</h2><p class=soft>Each one leads to its transcript.</p>{shown}"


def _matrix(results: Sequence[Result], models: Sequence[str]) -> str:
    by_key = {result.key: result for result in results}
    rows = []
    for task in sorted({result.key.task for result in results}):
        for toolset in by_toolset(results):
            cells = [escape(task), escape(toolset)]
            for model in models:
                found = next((by_key[key] for key in by_key if key == (task, toolset, model)), None)
                cells.append("" if found is None else _mark(found))
            rows.append(cells)
    heads = ["task", "toolset", *(_short(model) for model in models)]
    return table(heads, rows, numbers_from=9999)


def _short(model: str) -> str:
    variant = model.partition(":")[2] or model
    return f'<span style="writing-mode:vertical-rl;font-weight:400">{escape(variant)}</span>'


def _mark(result: Result) -> str:
    course = course_of(result)
    title = f"{course.value}, {result.turns} turns"
    return f'<td class="{STYLES[course]}">{_link(result, SIGNS[course], title)}</td>'


def _details(results: Sequence[Result]) -> str:
    rows = []
    for result in sorted(results, key=lambda result: result.key):
        course = course_of(result)
        rows.append((
            f'<td class="{STYLES[course]}">{_link(result, escape(result.key.task))}</td>',
            f"<td>{escape(result.key.toolset)}</td>", f"<td>{escape(result.status.value)}</td>",
            f"{result.turns}", f"{result.edit_failures}", f"{sum(result.tool_errors.values())}",
            f"{result.tokens:,}",
            "" if result.cost is None else f"${result.cost:.4f}", f"{result.seconds:.1f}",
        ))  # fmt: skip
    heads = ("task", "toolset", "status", "turns", "failed edits", "tool errors", "tokens", "cost", "seconds")
    return table(heads, rows, numbers_from=3)


def _link(result: Result, words: str, title: str = "") -> str:
    told = f' title="{escape(title)}"' if title else ""
    return f'<a class="mark" href="{TRANSCRIPTS}/{result.key.slug}.html"{told}>{words}</a>'


def _method(results: Sequence[Result], replayed: bool) -> str:
    walls = sorted({wall for result in results for wall in result.isolation})
    stood = (
        ", ".join(WALLS.get(wall, wall) for wall in walls)
        or "limits on time, memory, processes and file size only"
    )
    said = [
        f"The tests ran in isolation: {escape(stood)}; with limits on time, memory, processes and file size.",
        "Intervals of differences are percentiles of a paired bootstrap over tasks (5,000 draws, one seed).",
    ]
    if replayed:
        said.append(
            "No language model took part. The replay model knows the fix, so these numbers say how the tools "
            "treat right and wrong calls; they say nothing about how often a real model makes such calls. "
            "Every mistake counts the same here, though models do not make them equally often. "
            "Tokens are estimated from the length of the texts, four characters each."
        )
    return "<h2>How this was measured</h2>" + "".join(f"<p>{sentence}</p>" for sentence in said)


def _share(interval: Interval) -> str:
    return f"{interval.estimate:.0%}, {interval.low:.0%}–{interval.high:.0%}"


def _history(path: Path) -> list[dict[str, Any]]:
    try:
        found: list[dict[str, Any]] = msgspec.json.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError):
        return []
    return found
