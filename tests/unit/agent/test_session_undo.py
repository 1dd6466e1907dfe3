"""Undoing a run: files become what they were, and nothing that others did is lost."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from groundwire.agent.loop import Agent
from groundwire.agent.session import Session
from groundwire.agent.session_store import SessionStore
from groundwire.agent.session_undo import Fate, changes_since, net_changes, undo
from groundwire.agent.transcript import WriteBegan
from groundwire.errors import SessionError
from groundwire.testing import ScriptedModel, calls, says
from groundwire.workspace.boundary import Workspace
from tests.unit.agent.conftest import Died, Mortal


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def session(tmp_path: Path, root: Path) -> Iterator[Session]:
    with SessionStore(tmp_path / "sessions").create(root=root, model="m") as session:
        yield session


def write(path: str, content: str) -> tuple[str, dict[str, Any]]:
    return "write_file", {"file_path": path, "content": content}


async def ran(root: Path, session: Session, *turns: Any, model: str = "gemini-2.5-flash") -> Agent:
    scripted = ScriptedModel([*(calls(*turn) for turn in turns), says("ok")], name=model)
    agent = Agent(model=scripted, workspace=root, approve="yolo", session=session)
    assert (await agent.run("task")).ok
    return agent


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


async def test_edits_and_new_files_are_taken_back(root: Path, session: Session) -> None:
    (root / "a.txt").write_bytes(b"one\r\n\xff\n")
    (root / "a.txt").chmod(0o640)
    await ran(
        root, session, [write("a.txt", "two\n"), write("deep/er/b.txt", "b\n")], [write("a.txt", "3\n")]
    )
    undone = undo(session, Workspace(root))
    assert [(file.path, file.fate) for file in undone.files] == [
        ("a.txt", Fate.RESTORED),
        ("deep/er/b.txt", Fate.REMOVED),
    ]
    assert (undone.files[1].added, undone.files[1].removed) == (0, 1)
    assert (root / "a.txt").read_bytes() == b"one\r\n\xff\n"
    assert (root / "a.txt").stat().st_mode & 0o777 == 0o640
    assert os.listdir(root) == ["a.txt"]


async def test_a_folder_that_holds_something_else_stays(root: Path, session: Session) -> None:
    await ran(root, session, [write("deep/er/b.txt", "b\n")])
    (root / "deep" / "mine.txt").write_text("mine", encoding="utf-8")
    undo(session, Workspace(root))
    assert sorted(path.name for path in (root / "deep").iterdir()) == ["mine.txt"]


async def test_a_file_that_someone_changed_since_is_left_alone_unless_forced(
    root: Path, session: Session
) -> None:
    (root / "a.txt").write_text("old\n", encoding="utf-8")
    await ran(root, session, [write("a.txt", "new\n"), write("b.txt", "b\n")])
    (root / "a.txt").write_text("mine\n", encoding="utf-8")
    undone = undo(session, Workspace(root))
    assert (undone.restored, undone.left) == (("b.txt",), ("a.txt",))
    assert "changed it since" in undone.files[1].reason
    assert text(root / "a.txt") == "mine\n"
    again = undo(session, Workspace(root), force=True)
    assert [(file.path, file.fate) for file in again.files] == [
        ("b.txt", Fate.AS_IT_WAS),
        ("a.txt", Fate.RESTORED),
    ]
    assert text(root / "a.txt") == "old\n"


async def test_what_someone_did_between_two_writes_is_not_lost(root: Path, session: Session) -> None:
    (root / "a.txt").write_text("1\n", encoding="utf-8")
    await ran(root, session, [write("a.txt", "2\n")])

    class Meddling(ScriptedModel):
        async def reply(self, prompt: Any, hear: Any) -> Any:
            if len(self.prompts) == 1:
                (root / "a.txt").write_text("mine\n", encoding="utf-8")
            return await super().reply(prompt, hear)

    answers = [calls(write("a.txt", "3\n")), calls(write("a.txt", "4\n")), says("ok")]
    await Agent(model=Meddling(answers), workspace=root, approve="yolo", session=session).run("task")
    undo(session, Workspace(root))
    assert text(root / "a.txt") == "mine\n"


async def test_undoing_again_takes_back_the_run_before_and_then_says_that_all_is_undone(
    root: Path, session: Session
) -> None:
    for content in ("1\n", "2\n"):
        await ran(root, session, [write("a.txt", content)])
    assert undo(session, Workspace(root)).number == 1
    assert text(root / "a.txt") == "1\n"
    assert undo(session, Workspace(root)).number == 0
    assert not (root / "a.txt").exists()
    with pytest.raises(SessionError, match="undone already"):
        undo(session, Workspace(root))


async def test_a_run_without_changes_has_nothing_to_undo(root: Path, session: Session) -> None:
    await ran(root, session)
    with pytest.raises(SessionError, match="changed no file"):
        undo(session, Workspace(root))


async def test_a_dry_undo_shows_and_changes_nothing(root: Path, session: Session) -> None:
    (root / "a.txt").write_text("old\n", encoding="utf-8")
    await ran(root, session, [write("a.txt", "new\n")])
    before = session.path.read_bytes()
    undone = undo(session, Workspace(root), dry=True)
    assert undone.files[0].diff.endswith("-new\n+old\n")
    assert text(root / "a.txt") == "new\n"
    assert session.path.read_bytes() == before


async def test_the_model_is_told_that_its_changes_were_undone(root: Path, session: Session) -> None:
    await ran(root, session, [write("a.txt", "new\n")])
    undone = undo(session, Workspace(root))
    history = session.past().history
    assert history[-1] == {"role": "user", "parts": [{"text": undone.note}]}
    assert "a.txt" in undone.note


async def test_a_file_that_the_model_deleted_comes_back_with_its_mode(root: Path, session: Session) -> None:
    (root / "a.txt").write_text("old\n", encoding="utf-8")
    (root / "a.txt").chmod(0o755)
    made = ("str_replace_editor", {"command": "create", "path": "n.txt", "file_text": "n\n"})
    gone = ("str_replace_editor", {"command": "undo_edit", "path": "n.txt"})
    edit = (
        "str_replace_editor",
        {"command": "str_replace", "path": "a.txt", "old_str": "old", "new_str": "new"},
    )
    await ran(root, session, [made], [gone], [edit], model="other")
    undone = undo(session, Workspace(root))
    assert undone.restored == ("a.txt",)
    assert (root / "a.txt").stat().st_mode & 0o777 == 0o755


async def test_a_run_that_was_interrupted_and_undone_is_not_gone_on_with(tmp_path: Path, root: Path) -> None:
    store = SessionStore(tmp_path / "sessions")
    with Mortal.create(store.folder / "mortal.jsonl", root=str(root), model="m", version="0") as session:
        session.die_at(8)  # run, reply, call, write, result, reply, call: the second write is never begun
        with pytest.raises(Died):
            await ran(root, session, [write("a.txt", "1\n")], [write("b.txt", "2\n")])
    with store.open("mortal") as session:
        assert undo(session, Workspace(root)).restored == ("a.txt",)
        past = session.past()
        assert past.unfinished is None
        assert [content["role"] for content in past.history] == [
            "user",
            "model",
            "user",
            "model",
            "user",
            "user",
        ]
        assert "before the result of this call was known" in str(past.history[-2])
        model = ScriptedModel([says("I see.")])
        outcome = await Agent(model=model, workspace=root, approve="yolo", session=session).resume()
    assert outcome.ok
    assert os.listdir(root) == []


async def test_an_undo_that_was_interrupted_can_be_done_again(tmp_path: Path, root: Path) -> None:
    store = SessionStore(tmp_path / "sessions")
    with Mortal.create(store.folder / "mortal.jsonl", root=str(root), model="m", version="0") as session:
        await ran(root, session, [write("a.txt", "1\n")])
        session.die_at(1)
        with pytest.raises(Died):
            undo(session, Workspace(root))
    with store.open("mortal") as session:
        assert [file.fate for file in undo(session, Workspace(root)).files] == [Fate.AS_IT_WAS]
        assert session.past().runs[0].undone is not None


async def test_what_was_held_before_and_is_lost_cannot_be_restored(root: Path, session: Session) -> None:
    (root / "a.txt").write_text("old\n", encoding="utf-8")
    await ran(root, session, [write("a.txt", "new\n")])
    for kept in session.path.with_suffix(".before").iterdir():
        kept.write_bytes(b"damaged")
    undone = undo(session, Workspace(root), force=True)
    assert undone.files[0].reason == "what it held before is lost"
    assert text(root / "a.txt") == "new\n"


async def test_a_link_put_in_the_way_is_not_followed(root: Path, session: Session, tmp_path: Path) -> None:
    await ran(root, session, [write("deep/a.txt", "new\n")])
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("new\n", encoding="utf-8")
    (root / "deep" / "a.txt").unlink()
    (root / "deep").rmdir()
    (root / "deep").symlink_to(outside)
    assert undo(session, Workspace(root), force=True).left == ("deep/a.txt",)
    assert text(outside / "a.txt") == "new\n"


async def test_the_changes_of_a_session_are_shown_from_before_it_to_now(root: Path, session: Session) -> None:
    (root / "a.txt").write_text("old\n", encoding="utf-8")
    await ran(root, session, [write("a.txt", "1\n")])
    await ran(root, session, [write("a.txt", "2\n"), write("b.txt", "b\n")])
    shown = {path: (change.old, change.new) for path, change in changes_since(session, Workspace(root))}
    assert shown == {"a.txt": ("old\n", "2\n"), "b.txt": ("", "b\n")}


@pytest.mark.parametrize(
    ("writes", "now", "net"),
    [
        ([("A", "B", True)], "B", ("A", "B")),
        ([("A", "B", True), ("B", "C", True)], "C", ("A", "C")),
        ([("A", "B", True), ("X", "C", True)], "C", ("X", "C")),
        ([("A", "B", True), ("B", "A", True)], "A", None),
        ([("A", "B", False)], "A", None),
        ([("A", "B", None)], "B", ("A", "B")),
        ([("A", "B", None)], "A", None),
        ([("A", "B", None), ("A", "B", True)], "B", ("A", "B")),
        ([("A", "B", None), ("B", "C", True)], "C", ("A", "C")),
        ([(None, "B", True), ("B", None, True)], None, None),
        ([("A", None, True), (None, "B", True)], "B", ("A", "B")),
    ],
)
def test_the_writes_of_a_file_add_up(
    writes: list[tuple[str | None, str | None, bool | None]],
    now: str | None,
    net: tuple[str | None, str | None] | None,
) -> None:
    announced = [
        (WriteBegan("", number, "a.txt", before, after), made)
        for number, (before, after, made) in enumerate(writes)
    ]
    found = [(change.before, change.after) for change in net_changes(announced, lambda path: now)]
    assert found == ([] if net is None else [net])
