"""The frame of every page of a report: one style, no script, nothing loaded from anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --line: #d9dee5; --paper: #fff; --band: #f5f7f9;
  --a: #2f6fb5; --b: #c9762b; --c: #4f8f5b; --d: #8a5fa8;
  --good: #3f8f5f; --mended: #8dc3a0; --damaged: #e0a63a; --bad: #c2493d; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --soft: #9aa5b3; --line: #333c48; --paper: #14181e;
  --band: #1b2129; --a: #6fa8e6; --b: #e29a58; --c: #7fbf8b; --d: #b892d3;
  --good: #57ab79; --mended: #3b6b4e; --damaged: #b98425; --bad: #d5675b; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 68rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .25rem; } h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; }
p { max-width: 46rem; margin: .4rem 0; } .soft { color: var(--soft); } a { color: var(--a); }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(26rem, 1fr)); gap: 1rem 2.5rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .5rem 0; }
th, td { text-align: left; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; } td.n, th.n { text-align: right; }
tbody tr:hover { background: var(--band); }
svg { width: 100%; max-width: 640px; height: auto; display: block; margin: .5rem 0; font: 12px system-ui, sans-serif; }
svg text { fill: var(--ink); } svg .small { font-size: 10px; fill: var(--soft); }
.grid { stroke: var(--line); } .axis { stroke: var(--soft); } .whisker { stroke: var(--ink); stroke-width: 1.4; fill: none; }
.series-0 { fill: var(--a); } .series-1 { fill: var(--b); } .series-2 { fill: var(--c); } .series-3 { fill: var(--d); }
.good { fill: var(--good); } .mended { fill: var(--mended); } .damaged { fill: var(--damaged); } .bad { fill: var(--bad); }
.key { display: inline-block; width: .8em; height: .8em; margin: 0 .35em 0 1em; border-radius: 2px; }
.mark { display: inline-block; min-width: 1.5em; text-align: center; text-decoration: none; color: inherit; }
td.good, td.mended, td.damaged, td.bad { border-left: 4px solid; padding-left: .6rem; }
td.good { border-left-color: var(--good); } td.mended { border-left-color: var(--mended); }
td.damaged { border-left-color: var(--damaged); } td.bad { border-left-color: var(--bad); }
pre { background: var(--band); padding: .7rem .9rem; overflow-x: auto; font: 12.5px/1.45 ui-monospace, monospace;
  white-space: pre-wrap; overflow-wrap: anywhere; margin: .3rem 0; }
article { border-left: 3px solid var(--line); padding-left: 1rem; margin: 1rem 0; }
article.model { border-color: var(--a); } article.refused { border-color: var(--bad); }
details summary { cursor: pointer; }
"""


def page(title: str, body: str) -> str:
    """A whole page."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
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
