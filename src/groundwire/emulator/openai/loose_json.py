"""Reading JSON that may be anything: what is not of the wanted kind is treated as absent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def object_in(value: Any) -> Mapping[str, Any]:
    """The object; an empty one when it is none."""
    return value if isinstance(value, Mapping) else {}


def objects_in(value: Any) -> list[Mapping[str, Any]]:
    """The objects of a list; none when it is no list."""
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def words_in(value: Any) -> tuple[str, ...]:
    """The strings of a list; none when it is no list."""
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()
