"""The page of one attempt: the task, what model and tools said, the patch, and the tests' verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

import msgspec

from groundwire.evaluation.page import page
from groundwire.evaluation.results import Result

LONGEST = 20_000
"""How many characters of one text are shown."""


def transcript_page(result: Result, history: Sequence[dict[str, Any]]) -> str:
    """The whole page."""
    key = result.key
    facts = (
        f"{result.status.value} · {result.turns} turns · {result.calls} calls"
        f" · {result.edit_failures} failed edits · {result.tokens:,} tokens · {result.seconds:.1f} s"
    )
    said = "\n".join(_entries(history))
    failed = "".join(f"<li>{escape(test)}</li>" for test in result.failed_tests)
    verdict = f"<p>Tests that did not pass:</p><ul>{failed}</ul>" if failed else "<p>All tests passed.</p>"
    output = f"<pre>{_shown(result.test_output)}</pre>" if result.test_output else ""
    body = (
        f'<p class="soft"><a href="../report.html">All attempts</a></p>'
        f"<h1>{escape(key.task)}</h1><p>{escape(key.toolset)} · {escape(key.model)}</p>"
        f'<p class="soft">{facts}</p><p>{escape(result.reason)}</p>'
        f"<h2>Task</h2><pre>{_shown(_task(history))}</pre>"
        f"<h2>Conversation</h2>{said or '<p class=soft>Nothing was said.</p>'}"
        f"<h2>Patch</h2><pre>{_shown(result.patch) or 'nothing was changed'}</pre>"
        f"<h2>Tests</h2>{verdict}{output}"
    )
    return page(f"{key.task}, {key.toolset}", body)


def _task(history: Sequence[dict[str, Any]]) -> str:
    return "".join(_text(part.get("text", "")) for entry in history[:1] for part in entry.get("parts", ()))


def _entries(history: Sequence[dict[str, Any]]) -> Iterator[str]:
    for entry in history[1:]:  # the first is the task
        for part in entry.get("parts", ()):
            yield _part(part)


def _part(part: dict[str, Any]) -> str:
    if "functionCall" in part:
        call = part["functionCall"]
        arguments = "".join(
            f"<div class=soft>{escape(str(name))}</div><pre>{_shown(_text(value))}</pre>"
            for name, value in (call.get("args") or {}).items()
        )
        return f'<article class="model"><b>{escape(str(call.get("name")))}</b>{arguments}</article>'
    if "functionResponse" in part:
        response = part["functionResponse"].get("response") or {}
        refused = "error" in response
        words = _text(next(iter(response.values()), ""))
        title = "refused" if refused else f"answer, {len(words.splitlines())} lines"
        shown = "open" if refused else ""
        return (
            f'<article class="{"refused" if refused else "tool"}"><details {shown}><summary>{title}</summary>'
            f"<pre>{_shown(words)}</pre></details></article>"
        )
    if part.get("thought"):
        return f'<article class="model soft"><i>{_shown(_text(part.get("text", "")))}</i></article>'
    return f'<article class="model">{_shown(_text(part.get("text", "")))}</article>'


def _text(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _shown(words: str) -> str:
    cut = (
        words if len(words) <= LONGEST else f"{words[:LONGEST]}\n… ({len(words) - LONGEST:,} more characters)"
    )
    return escape(cut)
