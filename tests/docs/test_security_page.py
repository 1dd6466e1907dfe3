"""SECURITY.md promises limits and places that the code has."""

from __future__ import annotations

from groundwire.config.files import MAX_FILE_BYTES
from groundwire.transport.base import MAX_BODY_BYTES
from tests.docs.pages import ROOT

PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def test_the_limits_are_those_of_the_code() -> None:
    assert f"beyond {MAX_BODY_BYTES // 1024**2} MB" in PAGE
    assert f"up to {MAX_FILE_BYTES // 1024**2} MB" in PAGE


def test_the_door_to_the_disk_is_where_it_says() -> None:
    assert "`src/groundwire/workspace/boundary.py`" in PAGE
    assert (ROOT / "src/groundwire/workspace/boundary.py").is_file()
