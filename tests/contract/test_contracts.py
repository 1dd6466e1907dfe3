"""A contract changes only on purpose: with a diff to read, and one command to accept it."""

from __future__ import annotations

import pytest

import groundwire
from tests.committed import difference
from tests.contract.contracts import CONTRACTS, SNAPSHOTS


@pytest.mark.parametrize("name", CONTRACTS)
def test_what_others_rely_on_is_unchanged(name: str) -> None:
    changed = difference(SNAPSHOTS / name, CONTRACTS[name]())
    assert not changed, f"The contract {name} changed. If that is meant: make accept\n{changed}"


def test_every_snapshot_belongs_to_a_contract() -> None:
    assert {path.name for path in SNAPSHOTS.iterdir()} == set(CONTRACTS)


def test_public_names_are_sorted_and_there() -> None:
    assert list(groundwire.__all__) == sorted(groundwire.__all__)
    assert dir(groundwire) == groundwire.__all__
    assert all(getattr(groundwire, name) is not None for name in groundwire.__all__)


def test_a_name_that_is_not_public_is_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'serach'"):
        _ = groundwire.serach
