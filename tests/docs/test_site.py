"""The site has every page in its navigation, and no page that is not there."""

from __future__ import annotations

import re

from tests.docs.pages import ROOT

MADE_FROM_THE_TOP = {"changes.md", "trust.md"}
"""Pages that `docs/generate/site.py` adds."""


def test_every_page_is_in_the_navigation_and_every_entry_is_a_page() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]
    listed = re.findall(r": (\S+\.md)$", navigation, re.MULTILINE)
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert sorted(listed) == sorted(pages | MADE_FROM_THE_TOP)
