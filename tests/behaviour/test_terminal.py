"""`groundwire chat` and `groundwire run` as a person at a terminal meets them, in a real pty."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.behaviour.conftest import requirement, served
from tests.behaviour.terminal import CTRL_C, CTRL_D, Terminal, screen_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no pty")

WRITE = 'call = [{ name = "write_file", args = { file_path = "a.txt", content = "one\\ntwo\\n" } }]'
SLEEP = 'call = [{ name = "run_shell_command", args = { command = "echo $$ >pid; sleep 600" } }]'


@contextmanager
def terminal(home: Path, *words: str, steps: list[str]) -> Iterator[Terminal]:
    """A terminal in an empty workspace; the model follows the steps."""
    workspace = home / "workspace"
    workspace.mkdir(exist_ok=True)
    script = home / "script.toml"
    script.write_text("".join(f"[[step]]\n{step}\n" for step in steps), encoding="utf-8")
    with served(script=str(script)) as emulator:
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "PYTHONPATH") if name in os.environ}
        with Terminal(list(words), env={**kept, **emulator.env()}, folder=workspace) as person:
            yield person


@requirement("chat:talk")
def test_one_task_after_another_with_commands_between(scrubbed_environment: Path) -> None:
    steps = [WRITE, 'text = "I wrote it."', 'text = "You are welcome."']
    with terminal(scrubbed_environment, "chat", steps=steps) as person:
        person.say("/help")
        person.expect("/undo")
        person.say("/tols")
        person.expect("Did you mean /tools?")
        person.say("/tools")
        person.expect("google_web_search")
        person.say("write a file")
        person.expect("+two")
        person.expect("make this change?")
        person.type("y\r")
        person.expect("I wrote it.")
        file = scrubbed_environment / "workspace" / "a.txt"
        assert file.read_text(encoding="utf-8") == "one\ntwo\n"
        person.say("/diff")
        person.expect("+one")
        person.say("/undo")
        person.expect("removed     a.txt")
        assert not file.exists()
        person.say("thanks")
        person.expect("You are welcome.")
        person.say("/quit")
        assert person.leave() == 0
    assert (
        '✓ write_file(file_path: "a.txt", content: "one\\ntwo\\n") → created, +2 -0 lines' in person.screen()
    )


@requirement("chat:talk")
def test_a_task_may_have_many_lines(scrubbed_environment: Path) -> None:
    steps = [
        'when = { user = "^one\\\\ntwo$" }\ntext = "First."',
        'when = { user = "^three\\\\n\\\\nfour$" }\ntext = "Second."',
    ]
    with terminal(scrubbed_environment, "chat", steps=steps) as person:
        person.say("one\\")
        person.expect("… ")
        person.type("two\r")
        person.expect("First.")
        person.say('"""')
        for line in ("three", "", "four", '"""'):
            person.expect("… ")
            person.type(f"{line}\r")
        person.expect("Second.")
        person.expect("› ")
        person.type(CTRL_D)
        assert person.leave() == 0


@requirement("chat:interrupt")
def test_ctrl_c_stops_the_turn_and_not_the_program(scrubbed_environment: Path) -> None:
    steps = [SLEEP, 'text = "Still here."']
    with terminal(scrubbed_environment, "chat", "--shell", "--approve", "yolo", steps=steps) as person:
        person.say("wait")
        pid = scrubbed_environment / "workspace" / "pid"
        person._until(lambda: pid.exists() and pid.read_text(encoding="utf-8").strip() != "", "nothing ran")
        person.type(CTRL_C)
        person.expect("The run was cancelled.")
        person.expect("› ")
        person.type("never mind")
        person.expect("never mind")  # only now is it certain that the line is being read
        person.press_until(CTRL_C, "Ctrl-D or /quit leaves")
        person.say("are you there?")
        person.expect("Still here.")
        person.expect("› ")
        person.type(CTRL_D)
        assert person.leave() == 0
    assert not Path(f"/proc/{pid.read_text(encoding='utf-8').strip()}").exists()
    assert '✗ run_shell_command(command: "echo $$ >pid; sleep 600") → stopped' in person.screen()


@requirement("chat:interrupt")
def test_ctrl_c_at_a_question_denies_it_and_stops_the_turn(scrubbed_environment: Path) -> None:
    with terminal(scrubbed_environment, "chat", steps=[WRITE]) as person:
        person.say("write")
        person.expect("make this change?")
        person.type(CTRL_C)
        person.expect("The run was cancelled.")
        person.say("/quit")
        assert person.leave() == 0
    assert not (scrubbed_environment / "workspace" / "a.txt").exists()


@requirement("chat:talk")
def test_the_model_can_be_changed_and_knows_what_was_said(scrubbed_environment: Path) -> None:
    steps = [WRITE, 'text = "Written."', 'text = "As another model."']
    words = ("chat", "--approve", "edits", "--model", "gemini-3-flash-preview")
    with terminal(scrubbed_environment, *words, steps=steps) as person:
        person.say("write")
        person.expect("Written.")
        person.say("/model gemini-2.5-flash")
        person.expect("The model is gemini-2.5-flash.")
        person.say("and now?")
        person.expect("As another model.")
        person.say("/quit")
        assert person.leave() == 0


@requirement("chat:history")
def test_what_was_typed_is_there_again_the_next_time(scrubbed_environment: Path) -> None:
    for words, answer in (("first words", "One."), (None, "Two.")):
        with terminal(scrubbed_environment, "chat", steps=[f'text = "{answer}"']) as person:
            person.expect("› ")
            person.type(f"{words}\r" if words else "\x1b[A\x1b[A\r")  # the key that goes back, past /quit
            person.expect("first words")
            person.expect(answer)
            person.say("/quit")
            assert person.leave() == 0
    kept = scrubbed_environment / ".local" / "state" / "groundwire" / "chat_history"
    assert "first words" in kept.read_text(encoding="utf-8")
    assert kept.stat().st_mode & 0o077 == 0


@requirement("agent:status")
def test_a_run_shows_a_status_line_and_leaves_none_behind(scrubbed_environment: Path) -> None:
    steps = [WRITE, 'text = "All done."']
    with terminal(scrubbed_environment, "run", "write", "--approve", "edits", steps=steps) as person:
        person.expect("turn 1 · 0 tokens · 0:0")
        person.expect("write_file · Ctrl-C stops")
        person.expect("turn 2 · ")
        person.expect("All done.")
        assert person.leave() == 0
    *shown, used = (line for line in person.screen() if line)
    assert shown == [
        '✓ write_file(file_path: "a.txt", content: "one\\ntwo\\n") → created, +2 -0 lines',
        "All done.",
    ]
    assert re.fullmatch(r"groundwire: 2 turns, \d+ tokens, about \$[\d.]+ by the list prices of .*", used)


@requirement("agent:approval")
def test_a_run_asks_the_person_and_a_no_changes_nothing(scrubbed_environment: Path) -> None:
    steps = [WRITE, 'text = "Not done."']
    with terminal(scrubbed_environment, "run", "write", steps=steps) as person:
        person.expect("\x1b[32m+one\x1b[0m")
        person.expect("make this change? [y]es, [n]o, [a]lways all changes of files: ")
        person.type("n\r")
        person.expect("Not done.")
        assert person.leave() == 7
    assert not (scrubbed_environment / "workspace" / "a.txt").exists()


@requirement("agent:approval")
def test_a_question_begins_a_new_line_and_takes_no_answer_that_was_given_before(
    scrubbed_environment: Path,
) -> None:
    steps = [f'text = "I write."\nwait = 1.0\n{WRITE}', 'text = "Not done."']
    with terminal(scrubbed_environment, "run", "write", steps=steps) as person:
        person.expect("thinking")
        person.type("y\r")
        person.expect("make this change?")
        person.type("n\r")
        person.expect("Not done.")
        assert person.leave() == 7
    assert "I write." in person.screen()


@requirement("agent:failure")
def test_ctrl_c_at_a_question_ends_a_run_that_can_be_gone_on_with(scrubbed_environment: Path) -> None:
    with terminal(scrubbed_environment, "run", "write", steps=[WRITE]) as person:
        person.expect("make this change?")
        person.type(CTRL_C)
        person.expect("The run was cancelled.")
        person.expect("to go on: groundwire run --resume")
        assert person.leave() == 130


@requirement("agent:failure")
def test_ctrl_c_ends_a_run_with_its_own_exit_code(scrubbed_environment: Path) -> None:
    words = ("run", "wait", "--shell", "--approve", "yolo")
    with terminal(scrubbed_environment, *words, steps=[SLEEP]) as person:
        pid = scrubbed_environment / "workspace" / "pid"
        person._until(lambda: pid.exists() and pid.read_text(encoding="utf-8").strip() != "", "nothing ran")
        person.type(CTRL_C)
        assert person.leave() == 130
        assert not Path(f"/proc/{pid.read_text(encoding='utf-8').strip()}").exists()


@requirement("agent:status")
def test_a_screen_shows_what_is_left_of_lines_that_changed() -> None:
    output = "a\r\n\x1b[2mstatus\x1b[0m\r\x1b[2Kwords\r\nbc\rx"
    assert screen_of(output) == ["a", "words", "xc"]
