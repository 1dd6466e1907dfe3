"""The runner of examples notices what it should: other output, a failed command, an early end."""

from __future__ import annotations

from pathlib import Path

from tests.docs.pages import Block, blocks
from tests.docs.running import Step, compare, run_console, run_python, steps


def test_a_block_is_read_with_its_words_and_its_line(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Title\n\n```\nplain\n```\n\n```toml save=a.toml\nx = 1\n```\n", encoding="utf-8")
    assert blocks(page) == [Block("toml", ("save=a.toml",), "x = 1\n", 7)]
    assert blocks(page)[0].file_name == "a.toml"


def test_commands_are_told_from_their_output() -> None:
    assert steps("$ echo a\na\n$ cat <<E\n> b\n> E\n") == [Step("echo a", "a\n"), Step("cat <<E\nb\nE", "")]


def test_a_single_command_may_print_a_prompt() -> None:
    assert steps("$ make demo\n$ groundwire\n", single=True) == [Step("make demo", "$ groundwire\n")]


def test_output_that_is_shown_must_be_printed(tmp_path: Path) -> None:
    assert run_console(steps("$ echo a b c\na ... c\n"), tmp_path) == []
    [complaint] = run_console(steps("$ echo a\nb\n"), tmp_path)
    assert "-b" in complaint
    assert "+a" in complaint


def test_a_command_that_fails_is_reported_even_when_no_output_is_shown(tmp_path: Path) -> None:
    [complaint] = run_console(steps("$ echo so && false\n"), tmp_path)
    assert "exit code 1" in complaint
    assert "so" in complaint


def test_a_shell_that_ends_early_is_reported(tmp_path: Path) -> None:
    assert "ended early" in run_console(steps("$ exit 0\n$ echo never\n"), tmp_path)[-1]


def test_python_is_compared_with_the_block_below(tmp_path: Path) -> None:
    assert run_python("print(1)", "1\n", tmp_path, 1) == []
    assert run_python("print(1)", None, tmp_path, 1) == []
    [complaint] = run_python("print(1)", "2\n", tmp_path, 9)
    assert "line 9" in complaint


def test_ports_do_not_count() -> None:
    assert compare("http://127.0.0.1:8765/a", "http://127.0.0.1:4711/a") == ""
