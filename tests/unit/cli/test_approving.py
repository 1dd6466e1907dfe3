"""Asking at the terminal: what is shown is what gets written, and only a yes is a yes."""

from __future__ import annotations

import io

import pytest

from groundwire.agent.approval import Proposal, Verdict
from groundwire.cli.approving import ask_on_terminal, coloured

DIFF = "--- a.txt\tCurrent\n+++ a.txt\tProposed\n@@ -1,1 +1,1 @@\n-old\n+new\n same\n"


@pytest.mark.parametrize(
    ("typed", "verdict"),
    [
        ("y\n", Verdict.YES),
        ("YES\n", Verdict.YES),
        ("n\n", Verdict.NO),
        ("\n", Verdict.NO),
        ("", Verdict.NO),
        ("always\n", Verdict.ALWAYS),
        ("what?\ny\n", Verdict.YES),
    ],
)
def test_the_answer_decides(
    typed: str, verdict: Verdict, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert ask_on_terminal(Proposal("write_file", {}, DIFF)) is verdict
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "write_file: make this change?" in printed.err


@pytest.mark.parametrize(
    ("proposal", "shown"),
    [
        (
            Proposal("run_shell_command", {}, command="make\x1b[2J\nrm x", directory="sub"),
            "\x1b[1m$ make\\u001b[2J\n  rm x\x1b[0m (in sub)\n"
            "run_shell_command: run this command? [y]es, [n]o, [a]lways this very command: ",
        ),
        (
            Proposal("web_fetch", {}, pages=("https://a.example/x",)),
            "\x1b[1mhttps://a.example/x\x1b[0m\nNeither you nor a search named this.\n"
            "web_fetch: open it? [y]es, [n]o, [a]lways pages of that host: ",
        ),
    ],
)
def test_a_command_or_an_address_is_shown_as_it_is(
    proposal: Proposal, shown: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    assert ask_on_terminal(proposal) is Verdict.NO
    assert capsys.readouterr().err == shown


def test_added_and_removed_lines_have_colours() -> None:
    lines = coloured(DIFF).splitlines()
    assert lines[0] == "--- a.txt\tCurrent"
    assert lines[3:] == ["\x1b[31m-old\x1b[0m", "\x1b[32m+new\x1b[0m", " same"]


def test_what_a_terminal_would_obey_or_hide_is_shown() -> None:
    assert coloured("+\x1b[2Kgone\u202eback\u200b") == "\x1b[32m+\\u001b[2Kgone\\u202eback\\u200b\x1b[0m"
