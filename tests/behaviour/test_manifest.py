"""The manifest and the tests agree: nothing promised is unproven, nothing proven is unnamed."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from tests.behaviour.requirements import REQUIREMENTS

NAMES = sorted(path.stem for path in Path(__file__).parent.glob("test_*.py") if path.stem != "test_manifest")
MODULES = [import_module(f"tests.behaviour.{name}") for name in NAMES]


def declared_in(module: ModuleType) -> dict[str, tuple[str, ...]]:
    found = {name: test for name, test in vars(module).items() if name.startswith("test_")}
    return {name: getattr(test, "requirements", ()) for name, test in found.items()}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_every_test_names_a_requirement(module: ModuleType) -> None:
    for name, requirements in declared_in(module).items():
        assert requirements, name
        assert set(requirements) <= set(REQUIREMENTS), name


@pytest.mark.parametrize("requirement", REQUIREMENTS)
def test_every_requirement_has_a_test(requirement: str) -> None:
    assert any(requirement in named for module in MODULES for named in declared_in(module).values())
