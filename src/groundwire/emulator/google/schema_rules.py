"""What a Gemini server refuses in the `parameters` of a function declaration.

The rules hold for the OpenAPI-like `parameters` only; `parametersJsonSchema` is passed through. The
wordings are from google-gemini/gemini-cli issue 3178, confluentinc/mcp-confluent issue 20,
elastic/kibana pull request 286302 and decolua/9router pull request 380.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from groundwire.emulator.google.proto_json import Violation

FORMATS = {
    "STRING": ("enum", "date-time"),
    "NUMBER": ("float", "double"),
    "INTEGER": ("int32", "int64"),
}


def schema_violations(schema: Mapping[str, Any], path: str) -> Iterator[Violation]:
    """Everything wrong in a schema and the schemas inside it."""
    kind = schema.get("type", "")
    yield from _format_violations(schema, kind, path)
    yield from _enum_violations(schema, kind, path)
    if kind == "ARRAY" and "items" not in schema:
        yield Violation(f"{path}.items", "missing field.")
    properties = schema.get("properties") or {}
    if kind == "OBJECT" and "properties" in schema and not properties:
        yield Violation(f"{path}.properties", "should be non-empty for OBJECT type")
    for number, name in enumerate(schema.get("required") or []):
        if name not in properties:
            yield Violation(f"{path}.required[{number}]", "property is not defined")
    for name, inner in properties.items():
        yield from schema_violations(inner, f"{path}.properties[{name}]")
    for number, inner in enumerate(schema.get("anyOf") or []):
        yield from schema_violations(inner, f"{path}.any_of[{number}]")
    if "items" in schema:
        yield from schema_violations(schema["items"], f"{path}.items")


def _format_violations(schema: Mapping[str, Any], kind: str, path: str) -> Iterator[Violation]:
    wanted = schema.get("format")
    allowed = FORMATS.get(kind)
    if wanted and allowed and wanted not in allowed:
        first, second = allowed
        yield Violation(f"{path}.format", f"only '{first}' and '{second}' are supported for {kind} type")


def _enum_violations(schema: Mapping[str, Any], kind: str, path: str) -> Iterator[Violation]:
    values = schema.get("enum") or []
    if values and kind != "STRING":
        yield Violation(f"{path}.enum", "only allowed for STRING type")
    if not values and kind == "STRING" and schema.get("format") == "enum":
        yield Violation(f"{path}.enum", "should be non-empty for STRING type with enum format")
    for number, value in enumerate(values):
        if not value:
            yield Violation(f"{path}.enum[{number}]", "cannot be empty")
