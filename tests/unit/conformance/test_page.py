"""The table of a whole run in the documentation."""

from __future__ import annotations

import pytest

from conformance.page import PAGE, measured

OLD = (
    "# Proof\n\nWords.\n\n## Last measured\n\nan old day:\n\n| old |\n\n1 passed.\n\n## Not here yet\n\nMore."
)


def test_another_table_takes_the_place_of_the_last_one_and_nothing_else_changes() -> None:
    page = measured(OLD, "| new |\n\n2 passed.", "a new day:")
    assert page == OLD.replace("an old day", "a new day").replace("| old |\n\n1", "| new |\n\n2")
    assert measured(page, "| new |\n\n2 passed.", "a new day:") == page


def test_the_section_may_be_the_last() -> None:
    page = measured("# Proof\n\n## Last measured\n\nold\n", "new", "today:")
    assert page == "# Proof\n\n## Last measured\n\ntoday:\n\nnew\n"


def test_a_page_without_the_section_is_not_overwritten() -> None:
    with pytest.raises(ValueError, match="Last measured"):
        measured("# Proof\n", "new", "today:")


def test_our_page_has_the_section() -> None:
    assert measured(PAGE.read_text(encoding="utf-8"), "new", "today:").count("## ") >= 3
