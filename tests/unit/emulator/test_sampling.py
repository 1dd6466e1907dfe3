"""The smallest value that fits a schema."""

from __future__ import annotations

from typing import Any

import pytest

from groundwire.emulator.conversation import Conversation
from groundwire.emulator.sampling import sample, sample_call


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string"}, "text"),
        ({"type": "STRING", "enum": ["b", "a"]}, "b"),
        ({"type": "integer", "minimum": 7}, 7),
        ({"type": "NUMBER"}, 1),
        ({"type": "boolean"}, True),
        ({"type": ["null", "string"]}, None),
        ({"const": 5}, 5),
        ({"type": "string", "default": "d"}, "d"),
        ({"anyOf": [{"type": "boolean"}, {"type": "string"}]}, True),
        ({"type": "array", "items": {"type": "string"}, "minItems": 2}, ["text", "text"]),
        ({"type": "object"}, {}),
        ({"properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["b"]}, {"b": 1}),
        ({"$ref": "#/$defs/x", "$defs": {"x": {"type": "boolean"}}}, True),
        ({"$ref": "#/nowhere"}, "text"),
    ],
)
def test_it_fits(schema: Any, value: Any) -> None:
    assert sample(schema) == value


def test_a_schema_that_refers_to_itself_comes_to_an_end() -> None:
    node: Any = {"type": "object", "properties": {"next": {"$ref": "#"}}}
    depth, value = 0, sample(node)
    while value:
        depth, value = depth + 1, value["next"]
    assert 1 < depth < 10


def test_a_function_without_a_schema_is_called_without_arguments() -> None:
    assert sample_call("f", Conversation("m", ())).arguments == {}
