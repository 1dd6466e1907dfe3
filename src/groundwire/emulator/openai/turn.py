"""A turn of the emulated model as Responses output items: thoughts, search, words, calls, in that order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from groundwire.emulator.conversation import FunctionCall, Turn
from groundwire.emulator.openai.answers import chosen, compose, style_in
from groundwire.emulator.openai.client_tools import ClientTool
from groundwire.emulator.openai.items import (
    Wire,
    custom_tool_call_item,
    function_call_item,
    message_item,
    reasoning_item,
    web_search_call,
)
from groundwire.emulator.openai.phrasing import CitedAnswer, OutputMessage
from groundwire.emulator.openai.request import SearchTool
from groundwire.emulator.openai.searching import related, search
from groundwire.emulator.wire import Call
from groundwire.emulator.world import World


@dataclass(frozen=True, slots=True)
class Telling:
    """How an API tells a turn: which item a search becomes, and the tools whose calls look different."""

    search_item: str | None = "web_search_call"
    with_sources: bool = False
    tools: Sequence[ClientTool] = ()


def cited_answer(
    query: str, tool: SearchTool, call: Call, world: World, harmless: Sequence[str]
) -> CitedAnswer:
    """Search as the tool allows and phrase what was found, in the scenario's style or a harmless one."""
    found = search(
        query,
        world.documents,
        limit=tool.max_results,
        allowed=tool.allowed_domains,
        blocked=tool.blocked_domains,
    )
    allowed_anywhere = not tool.allowed_domains and not tool.blocked_domains
    others = related(query, world.documents, found) if allowed_anywhere else []
    style = style_in(call.scenarios) or chosen(query, harmless)
    return compose(query, found, style, others[: max(tool.max_results - len(found), 0)])


def output_items(turn: Turn, query: str, answer: CitedAnswer, world: World, telling: Telling) -> list[Wire]:
    """Everything the turn puts into `output`."""
    items: list[Wire] = []
    if turn.thoughts:
        items.append(reasoning_item(world.next_id("rs_"), turn.thoughts))
    if turn.searched is not None and answer.searched and telling.search_item is not None:
        item = web_search_call(world.next_id("ws_"), query, answer, with_sources=telling.with_sources)
        items.append({**item, "type": telling.search_item})
    items += [message_item(world.next_id("msg_"), message) for message in answer.messages if message.text]
    items += [_call_item(one, world, telling) for one in turn.calls]
    return items


def plain_answer(turn: Turn) -> CitedAnswer:
    """The words of a turn that searched nothing."""
    return CitedAnswer((OutputMessage(turn.text),), searched=False)


def _call_item(wanted: FunctionCall, world: World, telling: Telling) -> Wire:
    item_id, call_id = world.next_id("fc_"), wanted.id or world.next_id("call_")
    known = next((tool for tool in telling.tools if tool.name == wanted.name), ClientTool(wanted.name))
    if known.freeform:
        return custom_tool_call_item(item_id, call_id, known.own_name, str(wanted.arguments.get("input", "")))
    item = function_call_item(item_id, call_id, known.own_name, wanted.arguments)
    return {**item, "namespace": known.namespace} if known.name != known.own_name else item
