"""A session on the terminal: words as markdown, calls as lines with their diffs, sources at the end.

In a pipe there is no colour and no frame, and the words stay as the model wrote them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.console import Console, RenderableType
from rich.markdown import Markdown
from rich.rule import Rule
from rich.style import Style
from rich.text import Text

from groundwire.agent.session_past import Past, PastRun, PastTurn
from groundwire.characters import sendable
from groundwire.citations import Source
from groundwire.cli.printable import printable
from groundwire.cli.rendering import followed, in_link
from groundwire.cli.showing import (
    Called,
    Said,
    Thought,
    Useless,
    brief,
    counted,
    items,
    lasted,
    moment,
    sources_before,
    without_head,
)
from groundwire.cli.showing import searches as searches_of
from groundwire.cli.showing import tokens as tokens_of

_STYLES = {"+": "green", "-": "red", "@": "cyan"}
_MOST_DIFF_LINES = 200
"""How many lines of one diff are shown; `--html` and `--json` have all of them."""


def show(past: Past, console: Console) -> None:
    """Print a session."""
    opened = past.opened
    console.print(Text(f"Session {opened.id}", style="bold"))
    console.print(
        Text(printable(sendable(f"{moment(opened.at)}, {opened.model}, in {opened.root}")), style="dim")
    )
    for run in past.runs:
        _show_run(run, console)


def _show_run(run: PastRun, console: Console) -> None:
    console.print()
    if console.is_terminal:
        console.print(Rule(style="dim"))
    task = run.began.task if run.began.task is not None else "(going on with the task)"
    console.print(Text(f"> {printable(task)}", style="bold cyan"))
    for turn in run.turns:
        _show_turn(turn, sources_before(run, turn), console)
    _show_sources(run, console)
    console.print()
    console.print(_ending(run))
    if run.undone is not None:
        console.print(
            Text(f"Undone {moment(run.undone.at)}: {', '.join(run.undone.restored)}", style="yellow")
        )


def _show_turn(turn: PastTurn, sources: Sequence[Source], console: Console) -> None:
    for item in items(turn):
        match item:
            case Said():
                console.print()
                words = _words(item.text, sources) if console.is_terminal else Text(printable(item.text))
                console.print(words)
            case Thought():
                console.print()
                console.print(Text(f"({printable(item.text)})", style="dim italic"))
            case Called():
                console.print(_call(item))
                if item.gave and item.gave.diff:
                    console.print(_diff(item.gave.diff), soft_wrap=True)
            case Useless():
                console.print(Text(f"! {printable(item.reason)}", style="yellow"))


def _words(text: str, sources: Sequence[Source]) -> Markdown:
    """The model's markdown, each `[n]` a link to its source."""

    def linked(found: re.Match[str]) -> str:
        number = int(found[1])
        source = sources[number - 1] if 0 < number <= len(sources) else None
        link = in_link(followed(source.uri)) if source else ""
        return f"[\\[{number}\\]]({link})" if link else found[0]

    return Markdown(re.sub(r"\[(\d{1,3})\](?![(:])", linked, printable(text)), hyperlinks=True)


def _call(item: Called) -> Text:
    sign, style = ("✓", "green") if item.ok else ("✗", "red")
    said = printable(f"{item.name}({brief(item.arguments)})").replace("\n", " ")
    summary = printable(item.summary).replace("\n", " ")
    return Text.assemble((sign, style), f" {said} ", (f"→ {summary}", "dim"))


def _diff(diff: str) -> Text:
    lines = without_head(diff)
    shown = Text()
    for line in lines[:_MOST_DIFF_LINES]:
        style = _STYLES.get(line[:1], "dim")
        shown.append(f"    {printable(line)}\n", style=style)
    if len(lines) > _MOST_DIFF_LINES:
        shown.append(f"    … {counted(len(lines) - _MOST_DIFF_LINES, 'more line')}\n", style="dim")
    shown.rstrip()
    return shown


def _show_sources(run: PastRun, console: Console) -> None:
    found = searches_of(run)
    for result in found:
        console.print()
        heading = "Sources" if len(found) == 1 else f'Sources for "{result.query}"'
        console.print(Text(printable(heading), style="bold"))
        for number, source in enumerate(result.sources, start=1):
            link = followed(source.uri)
            style = Style(link=link) if link else Style()
            console.print(Text.assemble((f"[{number}] ", "cyan"), (printable(source.line()), style)))


def _ending(run: PastRun) -> RenderableType:
    given, made = tokens_of(run)
    seconds = lasted(run)
    numbers = [counted(len(run.turns), "turn"), counted(given + made, "token")]
    if seconds is not None:
        numbers.append(f"{seconds:.1f} s")
    if run.ended is None:
        return Text(f"interrupted: it can be resumed ({', '.join(numbers)})", style="yellow")
    ended = run.ended
    style = "green" if ended.ending == "done" else "yellow"
    words = "" if ended.ending == "done" else f": {printable(ended.reason)}"
    return Text(f"{ended.ending}{words} ({', '.join(numbers)})", style=style)
