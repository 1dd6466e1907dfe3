"""The key of a server: found, made, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.credentials.server_key import checked_key, server_key
from groundwire.errors import InvalidConfig


def test_a_key_is_made_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "state" / "key"
    made, made_now = server_key(path, prefix="gwm-")
    assert made_now
    assert made.reveal().startswith("gwm-")
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(path.parent.iterdir()) == [path]
    assert server_key(path, prefix="gwm-") == (made, False)


@pytest.mark.parametrize("text", ["", "short", "with a space", "nicht-für-Kopfzeilen"])
def test_what_cannot_be_a_key_is_refused(text: str) -> None:
    with pytest.raises(InvalidConfig, match="HERE"):
        checked_key(text, "HERE")


def test_a_file_that_holds_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidConfig, match="cannot be read"):
        server_key(path, prefix="x")


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InvalidConfig):
        server_key(tmp_path / "file" / "key", prefix="x")
