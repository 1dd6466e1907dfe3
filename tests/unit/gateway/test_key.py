"""The gateway's own key: made once, kept for its owner, or given."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from groundwire.errors import InvalidConfig
from groundwire.gateway.key import checked_key, gateway_key


def test_a_key_is_made_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "state" / "groundwire" / "gateway-key"
    key, made = gateway_key(path)
    assert made
    assert gateway_key(path) == (key, False)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert list(path.parent.iterdir()) == [path]


def test_two_gateways_that_start_at_once_have_one_key(tmp_path: Path) -> None:
    path = tmp_path / "gateway-key"
    with ThreadPoolExecutor(16) as threads:
        found = list(threads.map(lambda _: gateway_key(path), range(64)))
    assert len({key.reveal() for key, _ in found}) == 1
    assert [made for _, made in found].count(True) == 1


@pytest.mark.parametrize("text", ["", "short", "with a space", "schlüssel-schlüssel", "two\nlines-of-it"])
def test_a_key_that_cannot_be_one_is_refused_without_being_shown(tmp_path: Path, text: str) -> None:
    path = tmp_path / "gateway-key"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidConfig) as told:
        gateway_key(path)
    assert not text or text not in str(told.value)


def test_a_given_key_may_end_with_a_line_break() -> None:
    assert checked_key("a-key-of-mine\n", "a test").reveal() == "a-key-of-mine"


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InvalidConfig, match="cannot be"):
        gateway_key(tmp_path / "file" / "gateway-key")
