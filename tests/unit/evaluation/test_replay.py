"""The replay model: the fix through either toolset, its mistakes, and what it does about a refusal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from groundwire.agent.approval import Mode
from groundwire.agent.loop import Agent
from groundwire.errors import UsageError
from groundwire.evaluation.edits import Edit, edits_between, whole_file
from groundwire.evaluation.mistakes import CALL_MISTAKES, EXACT, STRING_MISTAKES, VARIANTS, described
from groundwire.evaluation.reference import Reference
from groundwire.evaluation.replay import ReplayModel, applies, variants_of
from groundwire.evaluation.verbatim import VerbatimToolset
from groundwire.tools.base import Dialect
from groundwire.tools.toolset import toolset
from groundwire.workspace.boundary import Workspace

BEFORE = '''\
import os


def greet(name, greeting="hello"):
    """Greet somebody by name."""
    text = f"{greeting}, {name}"
    return text.strip()


class Greeter:
    """Greets many."""

    def __init__(self, names):
        self.names = list(names)
        self.marks = {"end": "!"}

    def shout(self):
        """Greet everybody, loudly."""
        mark = self.marks["end"]
        shouted = [greet(name).upper() for name in self.names]
        separator = ", "
        return separator.join(shouted) + mark
'''
AFTER = BEFORE.replace("for name in self.names]", "for name in sorted(self.names)]").replace(
    "import os", "import sys"
)


@pytest.fixture
def reference() -> Reference:
    return Reference(tuple(edits_between("greet.py", BEFORE, AFTER)), {"greet.py": BEFORE}, {"greet.py": "x"})


def the_edit() -> Edit:
    return edits_between("greet.py", BEFORE, AFTER)[-1]


async def played(folder: Path, reference: Reference, variant: str, dialect: Dialect) -> tuple[str, list[str]]:
    """The file after a replay, and the calls that were made, refused ones with a mark."""
    (folder / "greet.py").write_text(BEFORE, encoding="utf-8")
    model = ReplayModel(reference, f"replay:{variant}")
    agent = Agent(model=model, workspace=folder, tools=toolset(folder, dialect=dialect), approve=Mode.EDITS)
    outcome = await agent.run("Fix it.")
    assert outcome.ok, outcome.reason
    calls = [_named(part) for entry in outcome.history for part in entry["parts"]]
    return (folder / "greet.py").read_text(encoding="utf-8"), [name for name in calls if name]


def _named(part: dict[str, Any]) -> str:
    if "functionCall" in part:
        called = part["functionCall"]
        return str(called["args"].get("command", called["name"]))
    return "refused" if "error" in part.get("functionResponse", {}).get("response", {}) else ""


@pytest.mark.parametrize("dialect", list(Dialect))
async def test_the_fix_is_made_in_every_dialect(
    tmp_path: Path, reference: Reference, dialect: Dialect
) -> None:
    text, calls = await played(tmp_path, reference, EXACT, dialect)
    assert text == AFTER
    assert "refused" not in calls


@pytest.mark.parametrize("dialect", list(Dialect))
@pytest.mark.parametrize("variant", [name for name in VARIANTS if name != "elided"])
async def test_every_mistake_ends_well(
    tmp_path: Path, reference: Reference, variant: str, dialect: Dialect
) -> None:
    text, _ = await played(tmp_path, reference, variant, dialect)
    assert text == AFTER


async def test_after_a_refusal_it_reads_again_and_calls_again(tmp_path: Path, reference: Reference) -> None:
    _, calls = await played(tmp_path, reference, "stale", Dialect.CURRENT)
    assert calls == [
        "glob",
        "read_file",
        *("replace", "refused", "read_file", "replace"),
        *("replace", "refused", "read_file", "replace"),
    ]


async def test_only_the_legacy_editor_shows_numbers_to_copy(tmp_path: Path, reference: Reference) -> None:
    model = ReplayModel(reference, "replay:line-numbers")
    agent = Agent(
        model=model, workspace=tmp_path, tools=toolset(tmp_path, dialect="current"), approve="edits"
    )
    (tmp_path / "greet.py").write_text(BEFORE, encoding="utf-8")
    outcome = await agent.run("Fix it.")
    sent = [part["functionCall"]["args"].get("old_string", "") for entry in outcome.history
            for part in entry["parts"] if "functionCall" in part]  # fmt: skip
    assert not any("\t" in text for text in sent)


async def test_a_whole_file_may_be_written_by_one_and_not_by_the_other(
    tmp_path: Path, reference: Reference
) -> None:
    _, gemini = await played(tmp_path, reference, "whole-file", Dialect.CURRENT)
    _, legacy = await played(tmp_path, reference, "whole-file", Dialect.LEGACY)
    assert gemini == ["glob", "read_file", "write_file"]
    assert legacy[:4] == ["view", "view", "create", "refused"]


@pytest.mark.parametrize("name", STRING_MISTAKES)
def test_a_mistake_changes_what_is_sent(name: str) -> None:
    sent = STRING_MISTAKES[name](the_edit())
    assert sent is not None
    assert (sent.old, sent.new) != (the_edit().old, the_edit().new)


def test_a_mistake_that_cannot_be_made_is_not_played() -> None:
    flat = Reference(tuple(edits_between("a.txt", "one\ntwo\n", "one\n2\n")), {"a.txt": "one\ntwo\n"})
    assert not applies("replay:indentation", flat)
    assert applies("replay:exact", flat)
    assert not applies("replay:exact", Reference())


def test_the_name_alone_is_every_variant() -> None:
    assert variants_of("replay") == [f"replay:{name}" for name in VARIANTS]
    assert variants_of("replay:typo") == ["replay:typo"]
    with pytest.raises(UsageError, match="no variant 'tpyo'"):
        variants_of("replay:tpyo")
    assert all(described(name).endswith(".") for name in (EXACT, *STRING_MISTAKES, *CALL_MISTAKES))


async def test_a_verbatim_editor_refuses_what_the_others_forgive(
    tmp_path: Path, reference: Reference
) -> None:
    (tmp_path / "greet.py").write_text(BEFORE, encoding="utf-8")
    tools = VerbatimToolset(Workspace(tmp_path), Dialect.LEGACY)
    model = ReplayModel(reference, "replay:trailing-blanks")
    outcome = await Agent(model=model, workspace=tmp_path, tools=tools, approve=Mode.EDITS).run("Fix it.")
    assert outcome.ok
    assert [noted.error for noted in tools.noted if noted.edits] == ["edit_no_occurrence_found", ""] * 2
    assert (tmp_path / "greet.py").read_text(encoding="utf-8") == AFTER


async def test_a_verbatim_editor_wants_one_place(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"x\r\ny\r\nx\r\n")
    tools = VerbatimToolset(Workspace(tmp_path), Dialect.LEGACY)

    async def edited(old: str) -> str:
        arguments = {"command": "str_replace", "path": "a.txt", "old_str": old, "new_str": "z"}
        result = await tools.call("str_replace_editor", arguments)
        return result.error.type if result.error else ""

    assert await edited("x") == "edit_expected_occurrence_mismatch"
    assert await edited("x\ny") == ""
    assert (tmp_path / "a.txt").read_bytes() == b"z\r\nx\r\n"


def test_edits_lead_from_one_text_to_the_other() -> None:
    edits = edits_between("greet.py", BEFORE, AFTER)
    assert len(edits) == 2
    assert whole_file(edits, BEFORE) == AFTER
    text = BEFORE
    for edit in edits:
        assert text.count(edit.old) == 1
        text = text.replace(edit.old, edit.new)
    assert text == AFTER


def test_a_new_file_is_created_whole() -> None:
    (edit,) = edits_between("new.py", None, "x = 1\n")
    assert edit.creates
    assert edit.content == "x = 1\n"
