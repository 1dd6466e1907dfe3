"""The error tree: complete, drawn, and with codes nobody else has."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from groundwire import errors
from groundwire.errors import GroundwireError

EVERY_ERROR = [
    kind for kind in vars(errors).values() if inspect.isclass(kind) and issubclass(kind, GroundwireError)
]


@pytest.mark.parametrize("kind", EVERY_ERROR, ids=lambda kind: kind.__name__)
def test_every_error_is_in_the_drawing_and_documented(kind: type[GroundwireError]) -> None:
    assert errors.__doc__ is not None
    assert kind.__name__ in errors.__doc__
    assert kind.__doc__


def test_codes_are_unique() -> None:
    codes = [kind.code for kind in EVERY_ERROR]
    assert len(codes) == len(set(codes))


def test_the_hint_follows_the_message_when_printed() -> None:
    assert str(GroundwireError("It broke.", hint="Mend it.")) == "It broke. Mend it."
    assert str(GroundwireError("It broke.")) == "It broke."


@pytest.mark.parametrize("kind", EVERY_ERROR, ids=lambda kind: kind.__name__)
def test_every_error_can_happen(kind: type[GroundwireError]) -> None:
    package = Path(errors.__file__).parent
    modules = (path for path in package.rglob("*.py") if path.name != "errors.py")
    named = re.compile(rf"\b{kind.__name__}\b")
    assert any(named.search(path.read_text(encoding="utf-8")) for path in modules)
