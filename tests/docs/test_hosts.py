"""docs/hosts has a page for every host, with its picture and the sentence to type."""

from __future__ import annotations

import pytest

from groundwire.integrations.install.hosts import HOSTS
from tests.docs.pages import ROOT

FOLDER = ROOT / "docs" / "hosts"


@pytest.mark.parametrize("name", HOSTS)
def test_a_host_has_a_page_with_its_picture_and_what_to_type(name: str) -> None:
    page = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    host = HOSTS[name]
    assert page.startswith(f"# {host.title}\n")
    assert f"(../images/hosts/{name}.svg)" in page
    assert f"groundwire install {name}" in page
    assert f"> {host.sentence}" in page


def test_the_first_page_leads_to_all_of_them() -> None:
    page = (FOLDER / "index.md").read_text(encoding="utf-8")
    assert [name for name in HOSTS if f"[{name}]({name}.md)" not in page] == []
