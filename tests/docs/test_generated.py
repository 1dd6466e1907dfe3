"""The generated pages say what the code says."""

from __future__ import annotations

import pytest

from docs.generate.pages import GENERATED, ROOT
from tests.committed import difference


@pytest.mark.parametrize("name", GENERATED)
def test_a_generated_page_is_up_to_date(name: str) -> None:
    changed = difference(ROOT / name, GENERATED[name]())
    assert not changed, f"{name} is stale; run: make docs\n{changed}"
