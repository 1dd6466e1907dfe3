"""The functions a model may call: the tools of its workspace, `google_web_search`, and `web_fetch`.

Search is declared as an ordinary function and carried out as a request of its own, because the API
refuses `googleSearch` in the same request as function declarations. What a function gave becomes the
`functionResponse` that Gemini CLI's models know: `{output: …}`, or `{error: …}`; a search answers with
its `llmContent`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any

from groundwire.agent.approval import Proposal
from groundwire.agent.named_pages import NamedPages
from groundwire.agent.outcome import Searched
from groundwire.agent.reply import Call, Content, Part
from groundwire.characters import sendable
from groundwire.citations import WebSearchResult
from groundwire.errors import ToolError
from groundwire.search_tools import SEARCH_TOOLS, SearchTool, check_arguments
from groundwire.tools.base import BeforeWrite, Declaration, ErrorType, PlannedCommand, ToolResult
from groundwire.tools.dialects import Form, in_form
from groundwire.tools.run_shell_command import NAME as SHELL
from groundwire.tools.toolset import Toolset
from groundwire.tools.web_fetch import WEB_FETCH, Get, addresses_in, fetched
from groundwire.workspace.boundary import Workspace

Search = Callable[[str], Awaitable[WebSearchResult]]
"""Asks the web, as a request of its own."""

WEB_SEARCH = SearchTool("google_web_search", SEARCH_TOOLS["websearch_gemini"].description, "gemini")

_MISTAKES = (ErrorType.TOOL_NOT_REGISTERED, ErrorType.INVALID_TOOL_PARAMS)
_LONGEST_SUMMARY = 160


@dataclass(frozen=True, slots=True)
class Given:
    """What a call gave: for the model, and in one line for the person."""

    response: dict[str, Any]
    summary: str
    ok: bool = True
    mistaken: bool = False
    """Whether the call itself was wrong: no such function, or arguments that do not fit."""
    diff: str = ""
    media: tuple[Part, ...] = ()
    """Images and other parts that go beside the response."""
    searched: Searched | None = None

    def part_for(self, call: Call) -> Part:
        """The function response, paired with its call by the call's id when it has one."""
        paired = {"id": call.id} if call.id else {}
        return {"functionResponse": {**paired, "name": call.name, "response": self.response}}


def failed(message: str, *, mistaken: bool = False) -> Given:
    """A call that did not work out, told to the model."""
    message = sendable(message)
    return Given({"error": message}, one_line(message), ok=False, mistaken=mistaken)


def failed_with(message: str, kind: str) -> Given:
    """A tool's failure, told to the model."""
    return failed(message, mistaken=kind in _MISTAKES)


class Functions:
    """A toolset, a search and a way to get pages, called by name."""

    def __init__(self, tools: Toolset, search: Search | None = None, get_page: Get | None = None) -> None:
        self._tools = tools
        self._search = search
        self._get_page = get_page
        self._named = NamedPages(WEB_SEARCH.name)

    def declarations(self) -> list[dict[str, Any]]:
        """Every function as the Gemini API wants it."""
        declared = self._tools.declarations(Form.GEMINI)
        if self._search is not None:
            search = Declaration(WEB_SEARCH.name, WEB_SEARCH.description, WEB_SEARCH.parameters)
            declared.append(in_form(search, Form.GEMINI))
        if self._get_page is not None:
            declared.append(in_form(WEB_FETCH, Form.GEMINI))
        return declared

    def recall(self, history: Iterable[Content]) -> None:
        """Know which pages were named in a history."""
        self._named.recall(history)

    def guarded(self, call: Call) -> bool:
        """Whether a call is put to the approval first and runs alone: it may change something, or it opens a
        page that nobody named."""
        return bool(self._unnamed(call)) or self._tools.writes(call.name)

    def _unnamed(self, call: Call) -> tuple[str, ...]:
        if self._get_page is None or call.name != WEB_FETCH.name:
            return ()
        try:
            return self._named.unnamed(addresses_in(call.arguments))
        except ToolError:  # a mistaken call opens nothing
            return ()

    def journaled(self, call: Call) -> bool:
        """Whether all that a call changes is told to `before_write`."""
        return self._tools.journaled(call.name)

    @property
    def runs_commands(self) -> bool:
        """Whether the model may run commands."""
        return self._tools.writes(SHELL)

    @property
    def workspace(self) -> Workspace:
        """Where the tools work."""
        return self._tools.workspace

    async def proposal(self, call: Call, *, with_diff: bool) -> Proposal:
        """What a guarded call would do; a diff only when somebody will look at it. A ToolError when the call
        would fail."""
        if pages := self._unnamed(call):
            return Proposal(call.name, call.arguments, pages=pages)
        if call.name == SHELL:
            planned = self._tools.plan(call.name, call.arguments)
            assert isinstance(planned, PlannedCommand)
            return Proposal(call.name, call.arguments, command=planned.command, directory=planned.directory)
        if not with_diff:
            return Proposal(call.name, call.arguments)
        diff = await asyncio.to_thread(self._tools.preview, call.name, call.arguments)
        return Proposal(call.name, call.arguments, diff)

    async def call(self, call: Call, before_write: BeforeWrite | None = None) -> Given:
        """Carry out a call. What goes wrong is in what is given; `before_write` is told what it writes."""
        if self._search is not None and call.name == WEB_SEARCH.name:
            return await self._searched(call, self._search)
        if self._get_page is not None and call.name == WEB_FETCH.name:
            return await _fetched(call, self._get_page)
        result = await self._tools.call(call.name, call.arguments, before_write=before_write)
        return given_by_tool(result)

    async def _searched(self, call: Call, search: Search) -> Given:
        rejected = check_arguments(WEB_SEARCH, call.arguments)
        result = rejected or await search(call.arguments["query"])
        if result.error is not None:
            return failed(result.error.message, mistaken=rejected is not None)
        sources = result.sources or ()
        self._named.found(sources)
        return Given(
            {"llmContent": sendable(result.llm_content)},
            f"{len(sources)} {'source' if len(sources) == 1 else 'sources'}",
            searched=Searched(call.arguments["query"], sources),
        )


async def _fetched(call: Call, get_page: Get) -> Given:
    try:
        addresses = addresses_in(call.arguments)
    except ToolError as error:
        return failed_with(error.message, error.type)
    return given_by_tool(await fetched(addresses, get_page))


def given_by_tool(result: ToolResult) -> Given:
    """A tool's result as the model and the person get it."""
    if result.error is not None:
        return failed_with(result.error.message, result.error.type)
    items = result.llm_content if isinstance(result.llm_content, list) else [result.llm_content]
    media = tuple(item for item in items if isinstance(item, dict) and "inlineData" in item)
    output = "\n".join(sendable(_text_of(item)) for item in items if item not in media)
    if media and not output:
        output = "The content follows this response."
    display = result.return_display
    diff = sendable(str(display.get("fileDiff", ""))) if isinstance(display, dict) else ""
    return Given({"output": output}, one_line(_summary(display, output)), diff=diff, media=media)


def _text_of(item: object) -> str:
    return str(item.get("text", "")) if isinstance(item, dict) else str(item)


def _summary(display: object, output: str) -> str:
    """A line about the result: the tool's own words for people, the size of a change, or of what was read."""
    if isinstance(display, dict):
        stat = display.get("diffStat") or {}
        change = f"+{stat.get('model_added_lines', 0)} -{stat.get('model_removed_lines', 0)} lines"
        return f"created, {change}" if display.get("isNewFile") else change
    if isinstance(display, str) and display.strip():
        return display
    lines = len(output.splitlines())
    return f"{lines} {'line' if lines == 1 else 'lines'}"


def one_line(words: str) -> str:
    """The words on one line, not longer than a line should be."""
    line = " ".join(words.split())
    return line if len(line) <= _LONGEST_SUMMARY else line[: _LONGEST_SUMMARY - 1] + "…"
