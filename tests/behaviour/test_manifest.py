"""The manifest and the tests agree: nothing promised is unproven, nothing proven is unnamed."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from tests.behaviour import (
    test_agent,
    test_command_line,
    test_manifest,
    test_mcp,
    test_search,
    test_sessions,
    test_sign_in,
    test_streams,
    test_tools,
    test_ways_to_gemini,
)
from tests.behaviour.requirements import REQUIREMENTS

MODULES = [
    test_agent,
    test_command_line,
    test_manifest,
    test_mcp,
    test_search,
    test_sessions,
    test_sign_in,
    test_streams,
    test_tools,
    test_ways_to_gemini,
]


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
