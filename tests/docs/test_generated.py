"""The generated pages say what the code says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.generate import errors
from docs.generate.inset import renewed
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


@pytest.mark.parametrize("text", ["no comments", "<a>\n<a>\n<b>\n", "<a>\n"])
def test_a_page_without_the_place_for_its_table_is_told(tmp_path: Path, text: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"page\.md wants one line <a> and one <b>"):
        renewed(page, "<a>\n", "table\n", "<b>\n")


def test_a_table_is_renewed_where_it_stands(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<a>\nold\n<b>\nafter\n", encoding="utf-8")
    assert renewed(page, "<a>\n", "new\n", "<b>\n") == "before\n<a>\nnew\n<b>\nafter\n"
