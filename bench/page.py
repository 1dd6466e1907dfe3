"""`python -m bench.page`: the page docs/benchmarks/index.md and its plots, made from the kept results.

A full `make bench` ends with it. Plots need matplotlib, which the dependency group `site` has.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from bench.results import Curve, Result, Row, compared, load, number

PLACE = Path(__file__).resolve().parent.parent / "docs" / "benchmarks"
TITLES = {
    "citations": "Citations",
    "startup": "Start-up",
    "tools": "File tools",
    "growth": "Growth",
    "edits": "Edits",
    "crash": "Crashes",
    "extremes": "Extremes",
    "gateway": "Gateway",
    "mcp": "MCP server",
    "agent": "Agent",
    "agent_kills": "Killed runs of the agent",
    "corpus": "Local documents",
    "emulator": "Emulator",
}
INTRODUCTION = """# Benchmarks

Written by `make bench`; do not edit. In each part the candidates took turns in one run, so read ratios, not
milliseconds: machines differ, and a busy one is slow for all alike. Numbers are medians, with the quartiles
in brackets. Run one part with `make bench ONLY=tools`.
"""
COLOURS = ("#1a73e8", "#e8710a", "#188038", "#9334e6", "#d93025", "#5f6368")


def page(results: Sequence[Result]) -> str:
    """The whole page."""
    order = list(TITLES)
    ranked = sorted(results, key=lambda result: order.index(result.bench))
    return "\n".join([INTRODUCTION, verdict(ranked), *map(section, ranked)]).rstrip() + "\n"


def verdict(results: Sequence[Result]) -> str:
    """What was not reached and what was not run, said first."""
    goals = sum(len(result.goals) for result in results)
    missed = [row for result in results for row in result.missed]
    lines = [f"{goals - len(missed)} of {goals} goals were reached."]
    lines += [
        f"- Not reached: {row.what}, {number(row.ours)} {row.unit}; goal: {row.goal}." for row in missed
    ]
    absent = sorted(set(TITLES) - {result.bench for result in results})
    lines += [f"- Not measured: {TITLES[bench]}." for bench in absent]
    lines += [
        f"- Not run in {TITLES[result.bench]}: {name} ({reason})."
        for result in results
        for name, reason in result.not_run.items()
    ]
    return "\n".join([lines[0], *([""] if lines[1:] else []), *lines[1:], ""])


def section(result: Result) -> str:
    """One benchmark: a table, its plots, and where it was measured."""
    lines = [f"## {TITLES[result.bench]}", ""]
    if result.rows:
        lines += [table(result.rows), ""]
    lines += [f"![{curve.title}]({curve.name}.svg)\n" for curve in result.curves]
    versions = ", ".join(f"{name} {version}" for name, version in result.versions.items())
    note = f" {result.note}." if result.note else ""
    lines += [f"{result.date}; {result.machine}; {versions}.{note}", ""]
    return "\n".join(lines)


def table(rows: Sequence[Row]) -> str:
    """The rows as Markdown."""
    lines = ["| | groundwire | peers | goal |", "|---|--:|---|---|"]
    for row in rows:
        others = (f"{name} {number(one)} ({compared(row, one)})" for name, one in row.peers.items())
        mark = {True: "reached", False: "**missed**", None: ""}[row.reached]
        goal = f"{row.goal}: {mark}" if row.goal else ""
        what = row.what.replace("*", "\\*")
        lines.append(f"| {what} | {number(row.ours)} {row.unit} | {'; '.join(others)} | {goal} |")
    return "\n".join(lines)


def plot(curve: Curve, folder: Path) -> None:
    """The curve as SVG and PNG."""
    import matplotlib as mpl

    mpl.use("agg")
    mpl.rcParams.update({"svg.hashsalt": "groundwire", "font.size": 11, "svg.fonttype": "none"})
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8.4, 4.0), layout="constrained")
    for colour, (name, points) in zip(COLOURS, curve.lines.items(), strict=False):
        xs, ys = zip(*points, strict=True)
        width = 2.4 if name == "groundwire" else 1.4
        axes.plot(xs, ys, color=colour, label=name, linewidth=width, marker="o", markersize=4)
    if curve.logarithmic:
        axes.set_xscale("log")
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    axes.set_title(curve.title)
    axes.set_xlabel(curve.x)
    axes.set_ylabel(curve.y)
    axes.grid(visible=True, which="major", color="#dadce0", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.savefig(folder / f"{curve.name}.svg", metadata={"Date": None})
    figure.savefig(folder / f"{curve.name}.png", dpi=150)
    pyplot.close(figure)


def main() -> int:
    """Write the page and the plots."""
    if find_spec("matplotlib") is None:
        print(
            "The page of benchmarks needs matplotlib for its plots. Install it with: make docs",
            file=sys.stderr,
        )
        return 1
    results = list(load().values())
    PLACE.mkdir(parents=True, exist_ok=True)
    (PLACE / "index.md").write_text(page(results), encoding="utf-8")
    for result in results:
        for curve in result.curves:
            plot(curve, PLACE)
    print(f"wrote {PLACE.name}/index.md from {len(results)} results")
    return 0


if __name__ == "__main__":
    sys.exit(main())
