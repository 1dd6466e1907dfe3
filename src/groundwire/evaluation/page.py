"""The frame of every page of a report: one style, no script, nothing loaded from anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

_STYLE = Path(__file__).with_name("page.css")


def page(title: str, body: str) -> str:
    """A whole page."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE.read_text('utf-8')}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], numbers_from: int = 1) -> str:
    """A table; cells are HTML. Columns from `numbers_from` on are set to the right."""

    def cell(tag: str, at: int, words: str) -> str:
        if words.startswith("<td"):
            return words
        return f"<{tag}{' class=n' if at >= numbers_from else ''}>{words}</{tag}>"

    head = "".join(cell("th", at, words) for at, words in enumerate(heads))
    body = "\n".join(
        f"<tr>{''.join(cell('td', at, words) for at, words in enumerate(row))}</tr>" for row in rows
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>'


def legend(words: dict[str, str]) -> str:
    """What the colours stand for: a style class for each word."""
    keys = "".join(
        f'<svg class="key" viewBox="0 0 1 1" style="display:inline-block;width:.8em">'
        f'<rect class="{style}" width="1" height="1"/></svg>{escape(word)}'
        for word, style in words.items()
    )
    return f'<p class="soft">{keys}</p>'
