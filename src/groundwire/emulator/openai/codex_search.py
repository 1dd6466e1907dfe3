"""Codex's standalone search, which its newer models use instead of a hosted tool: results, no model turn."""

from __future__ import annotations

from typing import Any, Final

from groundwire.emulator.openai.codex_models import MODELS
from groundwire.emulator.openai.codex_request import detail, refuse_caller
from groundwire.emulator.openai.loose_json import object_in, words_in
from groundwire.emulator.openai.searching import search
from groundwire.emulator.wire import Call, Reply, json_reply
from groundwire.emulator.world import World

FIELDS: Final = frozenset(
    {"id", "model", "input", "commands", "settings", "max_output_tokens", "reasoning", "service_tier"}
)
RESULTS_PER_QUERY: Final = 5


def standalone_search(call: Call, world: World) -> Reply:
    """POST /backend-api/codex/alpha/search: raw results, no model turn."""
    refused = refuse_caller(call, world)
    if refused is not None:
        return refused
    request = call.json
    if not isinstance(request, dict):
        return detail("Input should be a valid dictionary")
    for field in request:
        if field not in FIELDS:
            return _unknown_parameter(field)
    if request.get("model") not in MODELS:
        return detail(
            f"The '{request.get('model')}' model is not supported when using Codex with a ChatGPT account."
        )
    queries = object_in(request.get("commands")).get("search_query")
    if not isinstance(queries, list) or not all(isinstance(one, dict) and one.get("q") for one in queries):
        # The real service answers 200 and explains itself inside `output`.
        return json_reply(
            {"encrypted_output": None, "output": "Error: no search_query was given.", "results": None}
        )
    return json_reply(_search_results(queries, request, world))


def _search_results(queries: list[dict[str, Any]], request: dict[str, Any], world: World) -> dict[str, Any]:
    filters = object_in(object_in(request.get("settings")).get("filters"))
    lines: list[str] = []
    results: list[dict[str, Any]] = []
    for turn, query in enumerate(queries):
        found = search(
            str(query["q"]),
            world.documents,
            limit=RESULTS_PER_QUERY,
            allowed=words_in(query.get("domains")) or words_in(filters.get("allowed_domains")),
            blocked=words_in(filters.get("blocked_domains")),
        )
        for number, page in enumerate(found):
            reference = f"turn{turn}search{number}"
            results.append({"type": "text_result", "ref_id": reference, "url": page.url, "title": page.title})
            lines.append(f"{reference} [wordlim 200] {page.title} ({page.url})\n{page.text}")
    return {"encrypted_output": None, "output": "\n\n".join(lines) or "No results.", "results": results}


def _unknown_parameter(field: str) -> Reply:
    error = {
        "message": f"Unknown parameter: '{field}'.",
        "type": "invalid_request_error",
        "param": field,
        "code": "unknown_parameter",
    }
    return json_reply({"error": error}, 400)
