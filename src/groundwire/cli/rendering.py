"""A search result on the screen: markdown with clickable numbers on a terminal, plain text in a pipe."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundwire.citations import GroundedAnswer, Source, WebSearchResult, mark
from groundwire.cli.printable import printable

if TYPE_CHECKING:
    from rich.console import Console, Group, RenderableType

SIDE_BY_SIDE_WIDTH = 48
"""Columns a provider needs so that its answer is still pleasant to read beside another."""

_UNSAFE_IN_LINK = re.compile(r"[\s()<>\\]")


def plain(result: WebSearchResult) -> str:
    """What a pipe gets: the text a model would read, without control characters."""
    return printable(result.llm_content)


def show(result: WebSearchResult, console: Console) -> None:
    """Print one result on a terminal."""
    console.print(rendered(result))


class Arriving:
    """Text on a terminal while it arrives; it gives way to the finished, cited answer."""

    def __init__(self, console: Console) -> None:
        from rich.live import Live

        self._console = console
        self._text = ""
        self._live = Live(console=console, transient=True, refresh_per_second=12)

    def __enter__(self) -> Arriving:
        self._live.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self._live.stop()

    def add(self, text: str) -> None:
        """Show more; only the last screenful is kept in view."""
        from rich.text import Text

        self._text += printable(text)
        tail = self._text.splitlines()[-(self._console.height - 2) :]
        self._live.update(Text("\n".join(tail)))


def show_all(results: dict[str, WebSearchResult], console: Console) -> None:
    """Print several providers' results, side by side when the terminal is wide enough."""
    from rich.panel import Panel
    from rich.table import Table

    panels = [
        Panel(
            rendered(result),
            title=name,
            title_align="left",
            border_style="cyan" if result.ok else "red",
        )
        for name, result in results.items()
    ]
    if console.width < SIDE_BY_SIDE_WIDTH * len(panels):
        for panel in panels:
            console.print(panel)
        return
    table = Table.grid(expand=True, padding=(0, 1))
    for _ in panels:
        table.add_column(ratio=1)
    table.add_row(*panels)
    console.print(table)


def rendered(result: WebSearchResult) -> RenderableType:
    """One result for rich: the answer as markdown, then its sources; or what went wrong."""
    from rich.console import Group
    from rich.markdown import Markdown
    from rich.text import Text

    if result.error is not None:
        return Text(printable(result.error.message), style="red")
    answer = result.answer
    if answer is None or not answer.text.strip():
        return Text(printable(result.llm_content))
    return Group(Markdown(clickable(answer), hyperlinks=True), _sources(answer))


def clickable(answer: GroundedAnswer) -> str:
    """The answer's markdown with every number a link to its source."""

    def linked(number: int) -> str:
        uri = followed(answer.sources[number - 1].uri)
        return f"[\\[{number}\\]]({in_link(uri)})" if uri else f"\\[{number}\\]"

    return printable(mark(answer.text, answer.citations, linked))


def followed(uri: str | None) -> str:
    """The address if a click may lead there: a page or one of your files, and nothing that runs."""
    return uri if uri and uri.lower().startswith(("https://", "http://", "file://")) else ""


def in_link(uri: str) -> str:
    """The address with what would end a markdown link early written as escapes."""
    return _UNSAFE_IN_LINK.sub(lambda unsafe: f"%{ord(unsafe.group()):02X}", uri)


def _sources(answer: GroundedAnswer) -> Group:
    from rich.console import Group
    from rich.text import Text

    lines: list[RenderableType] = []
    if answer.sources:
        lines += [Text(""), Text("Sources", style="bold")]
        lines += [
            _source_line(f"[{number}]", source) for number, source in enumerate(answer.sources, start=1)
        ]
    if answer.consulted:
        lines += [Text(""), Text("Also consulted", style="bold")]
        lines += [_source_line(" -", source) for source in answer.consulted]
    if answer.note:
        lines += [Text(""), Text(printable(answer.note), style="yellow")]
    return Group(*lines)


def _source_line(number: str, source: Source) -> RenderableType:
    from rich.style import Style
    from rich.text import Text

    uri = printable(source.uri or "")
    title = printable(source.line()).removesuffix(f" ({uri})")
    line = Text()
    line.append(f"{number:>4} ", style="bold cyan")
    link = followed(uri) or None
    line.append(title, style=Style(link=link))
    line.append(f"  {uri}", style=Style(dim=True, link=link))
    return line
