"""The emulator restates the wire on its own: a mistake of the client's cannot be its mistake too."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import groundwire.emulator

FOLDER = Path(groundwire.emulator.__file__).parent
ALLOWED = ("groundwire.emulator", "groundwire.corpus", "groundwire.serving", "groundwire.errors")


@pytest.mark.parametrize("file", sorted(FOLDER.rglob("*.py")), ids=lambda file: str(file.relative_to(FOLDER)))
def test_a_module_imports_nothing_that_knows_the_wire(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    names = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    ours = [name for name in names if name.split(".")[0] == "groundwire"]
    assert [name for name in ours if not name.startswith(ALLOWED)] == []
