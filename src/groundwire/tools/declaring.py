"""Small words for writing JSON Schemas of parameters, using only what the Gemini API accepts."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]


def parameters(*, required: tuple[str, ...], **properties: Schema) -> Schema:
    """An object with these properties."""
    return {"type": "object", "properties": properties, "required": list(required)}


def string(description: str) -> Schema:
    """A text."""
    return {"type": "string", "description": description}


def boolean(description: str) -> Schema:
    """A yes or no."""
    return {"type": "boolean", "description": description}


def integer(description: str, *, minimum: int | None = None) -> Schema:
    """A whole number, not below `minimum`."""
    schema: Schema = {"type": "integer", "description": description}
    return schema if minimum is None else {**schema, "minimum": minimum}


def strings(description: str, *, at_least: int = 0, each_at_least: int = 0) -> Schema:
    """A list of texts, with a least number of them and a least length of each."""
    items: Schema = {"type": "string"}
    if each_at_least:
        items["minLength"] = each_at_least
    schema: Schema = {"type": "array", "items": items, "description": description}
    return {**schema, "minItems": at_least} if at_least else schema


FILE_FILTERING: Schema = {
    "type": "object",
    "description": "Optional: which ignore files to respect.",
    "properties": {
        "respect_git_ignore": boolean("Optional: leave out what .gitignore rules ignore. Defaults to true."),
        "respect_gemini_ignore": boolean("Optional: leave out what .geminiignore ignores. Defaults to true."),
    },
}
