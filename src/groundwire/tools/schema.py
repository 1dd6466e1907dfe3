"""Checking arguments against a tool's JSON Schema, with the messages of ajv 8.

Gemini CLI reports the first error ajv finds; models have learned from these sentences, so ours are the
same, and found in the same order: type, then the limits of the value itself, then what is required, then
each property in the order of the schema. Only the keywords our declarations use are known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]


def first_error(schema: Schema, arguments: object) -> str | None:
    """The first thing wrong with `arguments`, or None."""
    if not isinstance(arguments, Mapping):
        return "Value of params must be an object"
    return _first(schema, arguments, "params")


def _first(schema: Schema, value: Any, where: str) -> str | None:
    wanted = schema.get("type")
    if wanted is not None and not _is_a(wanted, value):
        return f"{where} must be {wanted}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{where} must be equal to one of the allowed values"
    if wanted in ("integer", "number"):
        return _limits(schema, value, where)
    if wanted == "string":
        least = schema.get("minLength", 0)
        return f"{where} must NOT have fewer than {least} characters" if len(value) < least else None
    if wanted == "array":
        return _items(schema, value, where)
    return _properties(schema, value, where) if wanted == "object" else None


def _is_a(wanted: str, value: Any) -> bool:
    if wanted == "string":
        return isinstance(value, str)
    if wanted == "boolean":
        return isinstance(value, bool)
    if wanted == "array":
        return isinstance(value, list | tuple)
    if wanted == "object":
        return isinstance(value, Mapping)
    if isinstance(value, float):
        return wanted == "number" or value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


def _limits(schema: Schema, value: float, where: str) -> str | None:
    if "maximum" in schema and value > schema["maximum"]:
        return f"{where} must be <= {schema['maximum']}"
    if "minimum" in schema and value < schema["minimum"]:
        return f"{where} must be >= {schema['minimum']}"
    return None


def _items(schema: Schema, value: list[Any], where: str) -> str | None:
    if len(value) > schema.get("maxItems", len(value)):
        return f"{where} must NOT have more than {schema['maxItems']} items"
    if len(value) < schema.get("minItems", 0):
        return f"{where} must NOT have fewer than {schema['minItems']} items"
    each = schema.get("items", {})
    found = (_first(each, item, f"{where}/{index}") for index, item in enumerate(value))
    return next((message for message in found if message), None)


def _properties(schema: Schema, value: Mapping[str, Any], where: str) -> str | None:
    for name in schema.get("required", ()):
        if name not in value:
            return f"{where} must have required property '{name}'"
    for name, below in schema.get("properties", {}).items():
        if name in value:
            message = _first(below, value[name], f"{where}/{name}")
            if message:
                return message
    return None
