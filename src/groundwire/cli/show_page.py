"""A session as one HTML page that needs nothing else: no script, no font, no image from anywhere.

Everything foreign (words of the model, files, web pages) is escaped; markdown is rendered without raw HTML
and without images, and only links to pages can be clicked. The page says so to the browser as well, with a
content security policy.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from groundwire.agent.session_past import Past, PastRun, PastTurn
from groundwire.agent.transcript import CallGave
from groundwire.citations import Source
from groundwire.cli.rendering import followed
from groundwire.cli.show_style import STYLE
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
    searches,
    sources_before,
    tokens,
    without_head,
)
from groundwire.version import __version__

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
_PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_MARK = re.compile(r"\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]")
_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]*")
WORTH_TELLING = 0.1
"""Seconds from which on it is told how long a call took."""
_MARKS = {"+": "add", "-": "cut", "@": "at", "\\": "at"}


def page(past: Past) -> str:
    """The whole page."""
    opened = past.opened
    title = next((run.began.task for run in past.runs if run.began.task), opened.id)
    runs = "".join(_run(run, number, len(past.runs)) for number, run in enumerate(past.runs, start=1))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{_safe(_line(title))}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"{_head(past)}{runs}"
        f"<footer>Written by groundwire {_safe(__version__)} from session {_safe(opened.id)}.</footer>\n"
        "</main>\n</body>\n</html>\n"
    )


def _head(past: Past) -> str:
    opened = past.opened
    facts = {"Session": opened.id, "Opened": moment(opened.at), "Model": opened.model, "Folder": opened.root}
    rows = "".join(f"<div><dt>{name}</dt><dd>{_safe(value)}</dd></div>" for name, value in facts.items())
    return f"<header><p class=brand>groundwire</p><dl>{rows}</dl></header>\n"


def _run(run: PastRun, number: int, count: int) -> str:
    label = f"<p class=label>Task {number} of {count}</p>" if count > 1 else "<p class=label>Task</p>"
    task = run.began.task if run.began.task is not None else "(going on with the task)"
    turns = "".join(_turn(run, turn) for turn in run.turns)
    return (
        f"<section class=run>\n<div class=task>{label}<h1>{_safe(task)}</h1></div>\n"
        f"{turns}{_outcome(run)}{_sources(run)}</section>\n"
    )


def _turn(run: PastRun, turn: PastTurn) -> str:
    return "".join(_item(item, sources_before(run, turn)) for item in items(turn))


def _item(item: Said | Thought | Called | Useless, sources: Sequence[Source]) -> str:
    match item:
        case Said():
            return f"<div class=said>{_words(item.text, sources)}</div>\n"
        case Thought():
            return f"<details class=thought><summary>Thought</summary><p>{_safe(item.text)}</p></details>\n"
        case Useless():
            return f"<p class=useless>{_safe(item.reason)}</p>\n"
        case Called():
            return _call(item)


def _call(item: Called) -> str:
    state = "ok" if item.ok else "bad"
    shown = item.seconds is not None and item.seconds >= WORTH_TELLING
    time = f"<span class=time>{item.seconds:.1f} s</span>" if shown else ""
    refused = "<span class=tag>not approved</span>" if item.gave and item.gave.refused else ""
    head = (
        f"<span class='sign {state}'>{'✓' if item.ok else '✗'}</span>"
        f"<code class=name>{_safe(item.name)}</code>"
        f"<span class=args>{_safe(_line(brief(item.arguments)))}</span>"
        f"<span class=gave>{_safe(_line(item.summary))}</span>{refused}{time}"
    )
    diff = _diff(item.gave.diff, item.path) if item.gave and item.gave.diff else ""
    body = f"{_arguments(item.arguments)}{_given(item.gave)}"
    return f"<div class=call><details><summary>{head}</summary>{body}</details>{diff}</div>\n"


def _arguments(arguments: Any) -> str:
    written = json.dumps(arguments, ensure_ascii=False, indent=2)
    return f"<p class=label>Arguments</p><pre>{_safe(written)}</pre>"


def _given(gave: CallGave | None) -> str:
    if gave is None:
        return ""
    response = gave.response
    words = next((response[key] for key in ("output", "llmContent", "error") if key in response), response)
    text = words if isinstance(words, str) else json.dumps(words, ensure_ascii=False, indent=2)
    return f"<p class=label>Result</p><pre>{_safe(text)}</pre>{''.join(_pictures(gave))}"


def _pictures(gave: CallGave) -> Iterator[str]:
    for part in gave.media:
        held = part.get("inlineData")
        kind, data = (held.get("mimeType"), held.get("data")) if isinstance(held, dict) else (None, None)
        if kind in _PICTURES and isinstance(data, str) and _BASE64.fullmatch(data):
            yield f'<img alt="what the model was shown" src="data:{kind};base64,{data}">'


def _diff(diff: str, path: str) -> str:
    lines = (
        f"<span class={_MARKS.get(line[:1], 'same')}>{_safe(line) or ' '}</span>"
        for line in without_head(diff)
    )
    return f"<figure class=diff><figcaption>{_safe(path)}</figcaption><pre>{''.join(lines)}</pre></figure>"


def _outcome(run: PastRun) -> str:
    given, made = tokens(run)
    seconds = lasted(run)
    facts = [counted(len(run.turns), "turn")]
    if given + made:
        facts.append(counted(given + made, "token"))
    if seconds is not None:
        facts.append(f"{seconds:.1f} s")
    ending = run.ended.ending if run.ended else "interrupted"
    reason = "" if ending == "done" or not run.ended else f"<p>{_safe(run.ended.reason)}</p>"
    state = "ok" if ending == "done" else "bad"
    undone = ""
    if run.undone is not None:
        files = ", ".join(run.undone.restored)
        undone = f"<p>Undone {_safe(moment(run.undone.at))}: {_safe(files)}</p>"
    return (
        f"<div class=outcome><span class='badge {state}'>{_safe(ending.replace('_', ' '))}</span>"
        f"<span class=facts>{_safe(' · '.join(facts))}</span>{reason}{undone}</div>\n"
    )


def _sources(run: PastRun) -> str:
    found = searches(run)
    sections = []
    for result in found:
        heading = "Sources" if len(found) == 1 else f"Sources for “{_safe(str(result.query))}”"
        lines = "".join(f"<li>{_source(source)}</li>" for source in result.sources)
        sections.append(f"<div class=sources><h2>{heading}</h2><ol>{lines}</ol></div>\n")
    return "".join(sections)


def _source(source: Source) -> str:
    title = _safe(source.line().removesuffix(f" ({source.uri or 'No URI'})"))
    address = f"<span class=address>{_safe(source.uri or '')}</span>"
    link = _page(source)
    return f'<a href="{_safe(link)}" rel="noreferrer">{title}</a> {address}' if link else f"{title} {address}"


def _words(text: str, sources: Sequence[Source]) -> str:
    """Markdown as HTML, each `[n]` a link to its source."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")
    tokens_ = markdown.parse(_clean(text))
    for token in tokens_:
        _link_marks(token.children or [], sources)
    return str(markdown.renderer.render(tokens_, markdown.options, {}))


def _link_marks(inline: list[Token], sources: Sequence[Source]) -> None:
    """Make the marks in a line of text links, outside of links; take away links that lead to no page."""
    depth = 0
    for token in inline:
        if token.type == "link_open" and not followed(str(token.attrGet("href") or "")):
            token.attrSet("href", "#")
        depth += (token.type == "link_open") - (token.type == "link_close")
        if token.type == "text" and depth == 0 and _MARK.search(token.content):
            token.type = "html_inline"
            token.content = _MARK.sub(lambda found: _marks(found, sources), escape(token.content))


def _marks(found: re.Match[str], sources: Sequence[Source]) -> str:
    return "".join(_mark(int(number), sources) for number in found[1].split(","))


def _mark(number: int, sources: Sequence[Source]) -> str:
    source = sources[number - 1] if 0 < number <= len(sources) else None
    link = _page(source) if source else ""
    if source is None or not link:
        return f"[{number}]"
    title = _safe(_line(source.title or link))
    return f'<a class=mark href="{_safe(link)}" title="{title}" rel="noreferrer">{number}</a>'


def _page(source: Source) -> str:
    """The address of a source, if it is one of a page."""
    link = followed(source.uri)
    return link if link.lower().startswith("http") else ""


def _safe(text: str) -> str:
    return escape(_clean(text), quote=True)


def _clean(text: str) -> str:
    """The text without what HTML cannot hold: control characters and half characters."""
    cleaned = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", "\ufffd", text)
    return cleaned.encode("utf-8", "replace").decode("utf-8")


def _line(text: str) -> str:
    return " ".join(text.split())
