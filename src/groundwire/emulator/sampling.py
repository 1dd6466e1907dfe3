"""The smallest value that fits a JSON schema: arguments for a call, or an answer in JSON.

Understands what function declarations and response schemas use (types in either case, enum, const,
anyOf, required, items, minimum, local references); it is deterministic, not exhaustive.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groundwire.emulator.conversation import Conversation, FunctionCall

MAX_DEPTH = 8


def sample_call(name: str, conversation: Conversation) -> FunctionCall:
    """A call of a declared function with the smallest arguments its schema allows."""
    arguments = sample(conversation.schemas.get(name) or {"type": "object"})
    return FunctionCall(name, arguments if isinstance(arguments, dict) else {})


def sample(schema: Mapping[str, Any], root: Mapping[str, Any] | None = None, depth: int = 0) -> Any:
    """A value that fits the schema; None when it goes deeper than anyone would."""
    top = schema if root is None else root
    if depth > MAX_DEPTH:
        return None
    if "$ref" in schema:
        return sample(_resolved(str(schema["$ref"]), top), top, depth + 1)
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    if schema.get("enum"):
        return schema["enum"][0]
    for key in ("anyOf", "oneOf", "allOf"):
        if schema.get(key):
            return sample(schema[key][0], top, depth + 1)
    return _of_type(schema, top, depth)


def _of_type(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> Any:
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = str(kind[0] if isinstance(kind, list) else kind).lower()
    if kind == "object":
        properties = schema.get("properties") or {}
        wanted = schema.get("required") or list(properties)
        return {name: sample(properties.get(name, {}), root, depth + 1) for name in wanted}
    if kind == "array":
        count = max(1, int(schema.get("minItems", 1)))
        return [sample(schema.get("items") or {}, root, depth + 1) for _ in range(count)]
    if kind in ("number", "integer"):
        return max(int(schema.get("minimum", 1)), 1)
    return {"boolean": True, "null": None}.get(kind, "text")


def _resolved(reference: str, root: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Any = root
    for step in filter(None, reference.removeprefix("#").split("/")):
        found = found.get(step, {}) if isinstance(found, Mapping) else {}
    return found if isinstance(found, Mapping) else {}
