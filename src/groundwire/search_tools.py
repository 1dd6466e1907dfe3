"""Search as tools for models: five names, one contract.

    geminisearch             Gemini, configured by the block provider.geminisearch
    websearch_gemini         Gemini with Google Search
    websearch_openai_oauth   ChatGPT by a ChatGPT sign-in
    websearch_openrouter     OpenRouter's web search
    websearch                any of them, chosen by the argument `provider`

Each takes `query` and gives a WebSearchResult; what is wrong with the arguments is a result, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from groundwire.citations import WebSearchError, WebSearchResult, failure
from groundwire.config import PROVIDERS
from groundwire.errors import GroundwireError, InvalidToolArguments
from groundwire.query import clean


@dataclass(frozen=True, slots=True)
class SearchTool:
    """A tool a model can call. `provider` is None when the model may choose one."""

    name: str
    description: str
    provider: str | None

    @property
    def parameters(self) -> dict[str, Any]:
        """JSON Schema of the arguments."""
        properties: dict[str, Any] = {
            "query": {"type": "string", "description": "The search query, in natural language."}
        }
        if self.provider is None:
            properties["provider"] = {
                "type": "string",
                "enum": list(PROVIDERS),
                "description": "Who should answer; leave out to use the first one that is configured.",
            }
        return {
            "type": "object",
            "properties": properties,
            "required": ["query"],
            "additionalProperties": False,
        }


_GEMINI = (
    "Performs a web search using Google Search (via the Gemini API) and returns the results. "
    "This tool is useful for finding information on the internet based on a query."
)
_CITED = "Returns an answer with numbered citations and the list of sources behind the numbers."

SEARCH_TOOLS: Mapping[str, SearchTool] = {
    tool.name: tool
    for tool in (
        SearchTool("geminisearch", _GEMINI, "geminisearch"),
        SearchTool("websearch_gemini", _GEMINI, "gemini"),
        SearchTool(
            "websearch_openai_oauth",
            f"Performs a web search with a ChatGPT model, using the user's ChatGPT sign-in. {_CITED}",
            "openai_oauth",
        ),
        SearchTool(
            "websearch_openrouter",
            f"Performs a web search through OpenRouter's web search. {_CITED}",
            "openrouter",
        ),
        SearchTool("websearch", f"Performs a web search with the provider of choice. {_CITED}", None),
    )
}


def check_arguments(tool: SearchTool, arguments: object) -> WebSearchResult | None:
    """The result that says what is wrong with the arguments, or None when they are right."""
    allowed = list(tool.parameters["properties"])
    if not isinstance(arguments, Mapping):
        return _rejected(tool, "The arguments must be an object with a 'query' field.")
    unknown = [str(key) for key in arguments if key not in allowed]
    if unknown:
        supported = " and ".join(f"'{name}'" for name in allowed)
        return _rejected(tool, f"Unknown argument(s): {', '.join(unknown)}, only {supported} supported.")
    provider = arguments.get("provider")
    if provider is not None and provider not in PROVIDERS:
        return _rejected(tool, f"Unknown provider: {provider!r}, only {', '.join(PROVIDERS)} supported.")
    try:
        clean(arguments.get("query", ""))
    except GroundwireError as error:
        return failure(error)
    return None


def _rejected(tool: SearchTool, detail: str) -> WebSearchResult:
    if tool.provider is None:
        summary = "websearch only accepts the fields 'query' and 'provider'."
    else:
        summary = "websearch_* only accepts a single 'query' field."
    return WebSearchResult(
        llm_content=f"Error: {summary}\n\nDetails: {detail}",
        return_display=summary,
        error=WebSearchError(message=detail, type=InvalidToolArguments.code),
    )
