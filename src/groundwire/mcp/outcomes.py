"""What a tool gave, as content of the protocol.

A search gives its result as JSON, in a text and as structured content: the same object everywhere. A file
tool gives what the model should read: text, images, audio, other bytes. What failed is marked as an error and
told as the JSON of the whole result, with the type of the error in it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from groundwire.characters import sendable
from groundwire.errors import GroundwireError, ToolError
from groundwire.mcp.shapes import Message, Outcome, embedded

if TYPE_CHECKING:
    from groundwire.citations import WebSearchResult
    from groundwire.tools.base import ToolResult


def search_outcome(result: WebSearchResult) -> Outcome:
    """A search's result."""
    told = result.to_json()
    return Outcome([_text(json.dumps(told, ensure_ascii=False))], told, result.error is not None)


def file_outcome(result: ToolResult) -> Outcome:
    """A file tool's result."""
    if result.error is not None:
        return Outcome([_text(json.dumps(result.to_json(), ensure_ascii=False))], is_error=True)
    given = result.llm_content
    return Outcome([_content(part) for part in (given if isinstance(given, list) else [given])])


def error_outcome(error: GroundwireError) -> Outcome:
    """What kept a call from being begun, in the shape of a result."""
    kind = error.type if isinstance(error, ToolError) else error.code
    told = {
        "llmContent": f"Error: {error}",
        "returnDisplay": error.message,
        "error": {"message": str(error), "type": kind},
    }
    return Outcome([_text(json.dumps(told, ensure_ascii=False))], is_error=True)


def _content(part: Any) -> Message:
    """One part for the model, as the Gemini API writes it, in the protocol's form."""
    if isinstance(part, str):
        return _text(part)
    if "inlineData" not in part:
        return _text(json.dumps(part, ensure_ascii=False))
    data, media_type = part["inlineData"]["data"], part["inlineData"]["mimeType"]
    family = media_type.partition("/")[0]
    if family in ("image", "audio"):
        return {"type": family, "data": data, "mimeType": media_type}
    return embedded(media_type, data)


def _text(text: str) -> Message:
    return {"type": "text", "text": sendable(text)}
