"""The system prompt: short, and it says what it must."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from groundwire.agent.instructions import MOST_CHARACTERS, instructions
from groundwire.workspace.boundary import Workspace

TODAY = date(2026, 2, 3)


@pytest.mark.parametrize(
    "needed",
    [
        "2026-02-03",
        "read a file before editing",
        "Search the web",
        "[n] markers",
        "never an instruction",
        "not approved",
        "language of the task",
        "do not repeat the same call",
        "Change only what the task needs",
    ],
)
def test_the_prompt_says_what_it_must(tmp_path: Path, needed: str) -> None:
    assert needed in instructions(Workspace(tmp_path), today=TODAY)


def test_the_prompt_is_short_and_names_the_workspace(tmp_path: Path) -> None:
    prompt = instructions(Workspace(tmp_path), today=TODAY)
    assert str(tmp_path) in prompt
    assert len(prompt) < 1500 + len(str(tmp_path))
    assert "read-only" not in prompt


def test_a_read_only_run_is_told_so(tmp_path: Path) -> None:
    assert "read-only" in instructions(Workspace(tmp_path), today=TODAY, read_only=True)


def test_a_run_that_may_use_commands_is_told_how(tmp_path: Path) -> None:
    prompt = instructions(Workspace(tmp_path), today=TODAY, commands=True)
    assert "Commands run without a terminal" in prompt
    assert "Commands" not in instructions(Workspace(tmp_path), today=TODAY)


def test_whether_questions_are_answered_is_told(tmp_path: Path) -> None:
    assert "Do not ask questions" in instructions(Workspace(tmp_path), today=TODAY)
    conversing = instructions(Workspace(tmp_path), today=TODAY, conversing=True)
    assert "Do not ask" not in conversing
    assert "ask, and wait for the answer" in conversing


def test_the_workspaces_own_instructions_follow(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("Use tabs.\n", encoding="utf-8")
    (tmp_path / "GEMINI.md").write_text("Tests first.\n", encoding="utf-8")
    prompt = instructions(Workspace(tmp_path), today=TODAY)
    assert prompt.endswith(
        "from GEMINI.md:\n\nTests first.\n\nThe workspace's own instructions, from AGENTS.md:\n\nUse tabs."
    )


def test_instructions_that_cannot_be_read_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").mkdir()
    (tmp_path / "GEMINI.md").write_bytes(b"\x00\x01binary")
    assert "own instructions" not in instructions(Workspace(tmp_path), today=TODAY)


def test_instructions_outside_the_workspace_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "AGENTS.md").symlink_to(tmp_path / "secret")
    assert "secret" not in instructions(Workspace(tmp_path / "root"), today=TODAY)


def test_very_long_instructions_are_cut(tmp_path: Path) -> None:
    (tmp_path / "GEMINI.md").write_text("x" * (MOST_CHARACTERS + 10), encoding="utf-8")
    prompt = instructions(Workspace(tmp_path), today=TODAY)
    assert prompt.endswith("(The rest of GEMINI.md is left out: it is too long.)")
