"""Google's JSON reader: field names in both spellings, unknown names refused, values checked.

A message is described by a table of its fields. `read` gives back the same value with every field
name in camelCase, or the violations in the words of Google's servers. Values of kind ANY (function
arguments, JSON schemas) are passed through untouched. Field paths are in snake_case and map entries
are numbered (`properties[0].value`), as in the real messages:
https://github.com/openswarm-ai/openswarm/issues/24, https://github.com/zed-industries/zed/issues/53919
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

STRING, NUMBER, INTEGER, BOOLEAN, ANY = "TYPE_STRING", "TYPE_DOUBLE", "TYPE_INT32", "TYPE_BOOL", "ANY"
PACKAGE = "type.googleapis.com/google.ai.generativelanguage.v1beta."

_HUMP = re.compile(r"(?<=[a-z0-9])([A-Z])")


@dataclass(frozen=True, slots=True)
class Repeated:
    """A list of values of one kind."""

    of: str


@dataclass(frozen=True, slots=True)
class Mapped:
    """An object whose names are free and whose values are of one kind."""

    of: str


@dataclass(frozen=True, slots=True)
class Enum:
    """One of a few words; case does not matter."""

    name: str
    values: frozenset[str]


Kind = str | Repeated | Mapped | Enum
"""A scalar kind, the name of a message, or one of those in a container."""

Messages = Mapping[str, Mapping[str, Kind]]


@dataclass(frozen=True, slots=True)
class Violation:
    """Where a request breaks the rules, and how."""

    path: str
    text: str


@dataclass(slots=True)
class Reading:
    """One pass over one request: the tables it follows and what it found wrong."""

    messages: Messages
    violations: list[Violation] = field(default_factory=list)

    def read(self, value: Any, kind: Kind, path: str = "") -> Any:
        """The value with canonical field names; violations are noted, not raised."""
        if isinstance(kind, Repeated):
            # A single value where a list is expected is taken as a list of one.
            items = value if isinstance(value, list) else [value]
            return [self.read(item, kind.of, f"{path}[{number}]") for number, item in enumerate(items)]
        if isinstance(kind, Mapped):
            return self._map(value, kind, path)
        if isinstance(kind, Enum):
            return self._enum(value, kind, path)
        if kind in self.messages:
            return self._message(value, kind, path)
        return value if kind == ANY else self._scalar(value, kind, path)

    def _message(self, value: Any, name: str, path: str) -> Any:
        if not isinstance(value, dict):
            self._invalid(value, PACKAGE + name, path)
            return {}
        fields = self.messages[name]
        result: dict[str, Any] = {}
        for key, inner in value.items():
            known = key if key in fields else camel(key)
            if known not in fields:
                self._note(path, f'Unknown name "{key}"{_at(path)}: Cannot find field.')
            elif inner is not None:
                result[known] = self._field(inner, fields[known], path, key)
        return result

    def _field(self, value: Any, kind: Kind, path: str, key: str) -> Any:
        if isinstance(value, list) and not isinstance(kind, Repeated) and kind != ANY:
            self._note(
                path, f'Unknown name "{key}"{_at(path)}: Proto field is not repeating, cannot start list.'
            )
            return None
        return self.read(value, kind, f"{path}.{snake(key)}" if path else snake(key))

    def _map(self, value: Any, kind: Mapped, path: str) -> Any:
        if not isinstance(value, dict):
            self._invalid(value, "Map", path)
            return {}
        return {
            name: self.read(inner, kind.of, f"{path}[{number}].value")
            for number, (name, inner) in enumerate(value.items())
        }

    def _enum(self, value: Any, kind: Enum, path: str) -> Any:
        if isinstance(value, str) and value.upper() in kind.values:
            return value.upper()
        if not isinstance(value, int) or isinstance(value, bool):
            self._invalid(value, PACKAGE + kind.name, path)
        return value

    def _scalar(self, value: Any, kind: str, path: str) -> Any:
        if kind == STRING:
            fits = isinstance(value, str)
        elif kind == BOOLEAN:
            fits = isinstance(value, bool) or value in ("true", "false")
        else:
            fits = _is_number(value) and (kind == NUMBER or float(value).is_integer())
        if not fits:
            self._invalid(value, kind, path)
        return value

    def _invalid(self, value: Any, kind: str, path: str) -> None:
        shown = f'"{value}"' if isinstance(value, str) else str(value)
        self.violations.append(Violation(path, f"Invalid value{_at(path)} ({kind}), {shown[:200]}"))

    def _note(self, path: str, text: str) -> None:
        self.violations.append(Violation(path, f"Invalid JSON payload received. {text}"))


@lru_cache(maxsize=1024)
def camel(name: str) -> str:
    """`system_instruction` as `systemInstruction`."""
    if "_" not in name:
        return name
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


@lru_cache(maxsize=1024)
def snake(name: str) -> str:
    """`systemInstruction` as `system_instruction`."""
    return _HUMP.sub(r"_\1", name).lower()


def _at(path: str) -> str:
    return f" at '{path}'" if path else ""


def _is_number(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, str):
        try:
            float(value)
        except ValueError:
            return False
        return True
    return isinstance(value, int | float)
