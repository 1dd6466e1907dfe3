"""The generated pages say what the code says."""

from __future__ import annotations

import re

import pytest

from docs.generate import errors
from docs.generate.pages import GENERATED, ROOT
from tests.committed import difference


@pytest.mark.parametrize("name", GENERATED)
def test_a_generated_page_is_up_to_date(name: str) -> None:
    changed = difference(ROOT / name, GENERATED[name]())
    assert not changed, f"{name} is stale; run: make pages\n{changed}"


def test_the_page_of_errors_explains_every_exit_code() -> None:
    explained = set(re.findall(r"^\| (\d+) \|", errors.EXIT_CODES, re.MULTILINE))
    assert explained >= {str(kind.exit_code) for kind in errors.documented()}


def test_the_drawing_of_errors_has_every_error_in_its_place() -> None:
    drawn = re.findall(r"\b([A-Z][A-Za-z]+)\b(?=\s{2,}|$)", errors.tree(), re.MULTILINE)
    assert drawn == [kind.__name__ for kind in errors.documented()]
