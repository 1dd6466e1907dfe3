"""How tools, and what they give, are told in a version of the protocol: without what came later."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from groundwire.mcp.versions import has_annotations, has_structured_content

EMBEDDED = "urn:groundwire:content"
"""The address of bytes that are in the result itself; nothing can be asked for there."""

Message = dict[str, Any]


class Outcome(NamedTuple):
    """What a call gave, before it is told in the words of a version."""

    content: list[Message]
    structured: Message | None = None
    is_error: bool = False


def tool_in(tool: Mapping[str, Any], version: str) -> Message:
    """The declaration of a tool in `version`."""
    unknown = set()
    if not has_annotations(version):
        unknown.add("annotations")
    if not has_structured_content(version):
        unknown |= {"title", "outputSchema"}
    return {field: value for field, value in tool.items() if field not in unknown}


def outcome_in(outcome: Outcome, version: str) -> Message:
    """The result of a call in `version`."""
    told: Message = {"content": [_content_in(part, version) for part in outcome.content]}
    if outcome.structured is not None and has_structured_content(version):
        told["structuredContent"] = outcome.structured
    told["isError"] = outcome.is_error
    return told


def embedded(media_type: str, data: str) -> Message:
    """Bytes (in base64) of a type that no content of the protocol is made for."""
    return {"type": "resource", "resource": {"uri": EMBEDDED, "mimeType": media_type, "blob": data}}


def _content_in(part: Message, version: str) -> Message:
    """The part as `version` knows it: audio came with annotations."""
    if part["type"] != "audio" or has_annotations(version):
        return part
    return embedded(part["mimeType"], part["data"])
