"""Which dialect a model speaks, and a tool's declaration in the forms the model APIs want.

Gemini 2 and earlier know the classic tools, Gemini 3 and later the current ones, every other model the
legacy `str_replace_editor`. A declaration goes out trimmed to what the Gemini API accepts of JSON Schema.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from groundwire.tools.base import Declaration, Dialect

_GEMINI = re.compile(r"gemini(?:[-_ ]?(\d+))?")
FIRST_CURRENT = 3
"""The first generation of Gemini that knows the current tools."""

# What `Schema` of the Gemini API has, and the formats it knows.
_KEYWORDS = frozenset(
    (
        "type",
        "format",
        "title",
        "description",
        "nullable",
        "enum",
        "items",
        "maxItems",
        "minItems",
        "properties",
        "required",
        "minProperties",
        "maxProperties",
        "minLength",
        "maxLength",
        "pattern",
        "anyOf",
        "propertyOrdering",
        "default",
        "minimum",
        "maximum",
    )
)
_FORMATS = {
    "string": frozenset(("enum", "date-time")),
    "integer": frozenset(("int32", "int64")),
    "number": frozenset(("float", "double")),
}


class Form(StrEnum):
    """Whose API a declaration is for."""

    GEMINI = "gemini"
    OPENAI = "openai"
    ANTHROPIC = "anthropic"


def dialect_of(model: str | None) -> Dialect:
    """The dialect `model` knows. Without a model: the current one."""
    if model is None:
        return Dialect.CURRENT
    name = model.rpartition("/")[2].lower()
    found = _GEMINI.match(name)
    if found is None:
        return Dialect.LEGACY
    if found[1] is None:
        # gemini-flash-latest is the newest generation, gemini-pro the first.
        return Dialect.CURRENT if "latest" in name else Dialect.CLASSIC
    return Dialect.CURRENT if int(found[1]) >= FIRST_CURRENT else Dialect.CLASSIC


def in_form(declaration: Declaration, form: Form) -> dict[str, Any]:
    """The declaration as one API wants it."""
    schema = trimmed(declaration.parameters)
    if form is Form.OPENAI:
        about = {"name": declaration.name, "description": declaration.description, "parameters": schema}
        return {"type": "function", "function": about}
    key = "input_schema" if form is Form.ANTHROPIC else "parameters"
    return {"name": declaration.name, "description": declaration.description, key: schema}


def trimmed(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with only the keywords, types and formats that the Gemini API accepts."""
    kept: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword == "properties":
            kept[keyword] = {name: trimmed(below) for name, below in value.items()}
        elif keyword == "items":
            kept[keyword] = trimmed(value)
        elif keyword == "anyOf":
            kept[keyword] = [trimmed(below) for below in value]
        elif keyword == "const":
            kept["enum"] = [value]
        elif keyword == "type" and isinstance(value, list | tuple):
            kept |= _one_type(value)
        elif keyword in _KEYWORDS and not _unknown_format(keyword, value, schema):
            kept[keyword] = value
    return kept


def _one_type(types: list[str] | tuple[str, ...]) -> dict[str, Any]:
    """A list of types as the one type the API takes; `null` in the list makes it nullable."""
    real = [name for name in types if name != "null"]
    one: dict[str, Any] = {"type": real[0] if real else "string"}
    return {**one, "nullable": True} if "null" in types else one


def _unknown_format(keyword: str, value: object, schema: Mapping[str, Any]) -> bool:
    return keyword == "format" and value not in _FORMATS.get(str(schema.get("type")), ())
