"""A run on the screen: words on one stream, a line for each call on the other."""

from __future__ import annotations

import io

from groundwire.agent.events import CallEnded, CallStarted, Event, Retried, TextArrived
from groundwire.agent.outcome import Ending, Outcome, Searched
from groundwire.citations import Source
from groundwire.cli.run_display import EventLines, RunDisplay

PAGE = Source(title="A page", uri="https://a.example")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(events: list[Event], outcome: Outcome, doings: io.StringIO) -> tuple[str, str]:
    words = io.StringIO()
    display = RunDisplay(words, doings)
    for event in events:
        display.tell(event)
    display.close(outcome)
    return words.getvalue(), doings.getvalue()


DONE = Outcome(Ending.DONE, "done")


def test_words_end_their_line_before_a_call_is_told() -> None:
    one = io.StringIO()
    display = RunDisplay(one, one)
    display.tell(TextArrived("I look"))
    display.tell(CallStarted(1, "glob", {"pattern": "*"}))
    display.tell(CallEnded(1, "glob", True, "Found 1 matching file(s)"))
    display.close(DONE)
    assert one.getvalue() == 'I look\n✓ glob(pattern: "*") → Found 1 matching file(s)\n'


def test_long_arguments_are_left_out_and_foreign_control_characters_are_gone() -> None:
    events: list[Event] = [
        CallStarted(1, "write_file", {"file_path": "a\x1b[2Jb\nc", "content": "x" * 100}),
        CallEnded(1, "write_file", False, "no\x1b[31m"),
    ]
    assert shown(events, DONE, io.StringIO())[1] == (
        '✗ write_file(file_path: "a\\u001b[2Jb\\nc", content: …) → no\n'
    )


def test_arguments_that_are_no_object_are_not_shown() -> None:
    events: list[Event] = [CallStarted(1, "glob", [1]), CallEnded(1, "glob", False, "wrong")]
    assert shown(events, DONE, io.StringIO())[1] == "✗ glob(…) → wrong\n"


def test_a_terminal_gets_colours() -> None:
    events: list[Event] = [CallStarted(1, "glob", {}), CallEnded(1, "glob", True, "ok")]
    assert shown(events, DONE, Terminal())[1] == "\x1b[32m✓\x1b[0m glob() \x1b[2m→ ok\x1b[0m\n"


def test_sources_of_several_searches_are_told_apart() -> None:
    searches = (Searched("one", (PAGE,)), Searched("none", ()), Searched("two", (PAGE,)))
    words, _ = shown([TextArrived("Done.")], Outcome(Ending.DONE, "done", searches=searches), io.StringIO())
    assert words == (
        'Done.\n\nSources for "one":\n[1] A page (https://a.example)\n'
        '\nSources for "two":\n[1] A page (https://a.example)\n'
    )


def test_a_retry_and_the_reason_of_an_end_are_told() -> None:
    outcome = Outcome(Ending.REFUSED, "A change was not approved.")
    _, doings = shown([Retried("The model's reply was empty.")], outcome, io.StringIO())
    assert doings.splitlines() == [
        "The model's reply was empty. Asking again.",
        "groundwire: A change was not approved.",
        "groundwire: --approve edits allows changes of files without asking, "
        "--approve yolo also commands and every page.",
    ]


def test_events_are_lines_of_json_that_no_terminal_obeys() -> None:
    stream = io.StringIO()
    lines = EventLines(stream)
    lines.tell(TextArrived("a\x9bb"))
    lines.close(Outcome(Ending.TURN_LIMIT, "enough", turns=3))
    first, last = stream.getvalue().splitlines()
    assert first == '{"type":"text","text":"a\\u009bb"}'
    assert last.startswith('{"type":"outcome","ending":"turn_limit","reason":"enough"')
