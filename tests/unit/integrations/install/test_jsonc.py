"""Entries are added to any JSON text and removed from it without touching another byte."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from groundwire.integrations.install.insertion import CannotEdit, Insertion
from groundwire.integrations.install.jsonc import add, line_of, look_up, parse, remove, same
from tests.unit.integrations.install.jsonc_texts import BLANK, DOCUMENT

ENTRY = {"type": "local", "command": ["/usr/bin/groundwire", "mcp"], "enabled": True}
UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
PATHS = st.sampled_from([("mcpServers", "groundwire"), ("mcp", "websearch"), ("a", "b", "c"), ("top",)])


def added(text: str, path: tuple[str, ...]) -> tuple[str, tuple[Insertion, ...], int]:
    try:
        return add(text, path, ENTRY)
    except CannotEdit as refused:
        assume("must be an object" not in refused.reason and "is there already" not in refused.reason)
        raise


@UNHURRIED
@given(DOCUMENT | BLANK, PATHS)
def test_the_result_says_exactly_one_entry_more(text: str, path: tuple[str, ...]) -> None:
    result, insertions, _ = added(text, path)
    assert look_up(parse(result), path) == ENTRY
    kept = result
    for place, piece in reversed(insertions):
        assert kept.startswith(piece, place)
        kept = kept[:place] + kept[place + len(piece) :]
    assert kept == text


@UNHURRIED
@given(DOCUMENT | BLANK, PATHS)
def test_removing_gives_the_bytes_of_before(text: str, path: tuple[str, ...]) -> None:
    result, insertions, made = added(text, path)
    assert remove(result, path, insertions, made) == text


@UNHURRIED
@given(DOCUMENT, PATHS)
def test_two_entries_come_out_in_reverse_order(text: str, path: tuple[str, ...]) -> None:
    one = added(text, path)
    other_path = (*path[:-1], "other")
    assume(look_up(parse(one[0]), other_path) is None)
    two = added(one[0], other_path)
    back = remove(two[0], other_path, two[1], two[2])
    assert back == one[0]
    assert remove(back, path, one[1], one[2]) == text


@UNHURRIED
@given(DOCUMENT, PATHS)
def test_an_entry_is_found_by_name_when_the_file_was_written_anew(text: str, path: tuple[str, ...]) -> None:
    result, insertions, made = added(text, path)
    document = parse(result)
    rewritten = json.dumps(document, indent=4)
    assert same(parse(remove(rewritten, path, insertions, made)), parse(text))


@UNHURRIED
@given(DOCUMENT, PATHS)
def test_without_a_memory_only_the_entry_itself_goes(text: str, path: tuple[str, ...]) -> None:
    result = added(text, path)[0]
    document = parse(remove(result, path))
    assert look_up(document, path) is None
    assert look_up(document, path[:-1]) is not None


CASES = {
    "empty object": ("{}", '{\n  "mcp": {\n    "x": 1\n  }\n}'),
    "empty file": ("", '{\n  "mcp": {\n    "x": 1\n  }\n}\n'),
    "byte order mark alone": ("\ufeff", '\ufeff{\n  "mcp": {\n    "x": 1\n  }\n}\n'),
    "only a comment": ("// mine", '// mine\n{\n  "mcp": {\n    "x": 1\n  }\n}\n'),
    "one line": ('{"a": 1}\n', '{"a": 1, "mcp": {"x": 1}}\n'),
    "one line, holder there": ('{"mcp": {}}', '{"mcp": {"x": 1}}'),
    "no last line end": ('{\n  "a": 1\n}', '{\n  "a": 1,\n  "mcp": {\n    "x": 1\n  }\n}'),
    "trailing comma kept": ('{\n  "a": 1,\n}\n', '{\n  "a": 1,\n  "mcp": {\n    "x": 1\n  },\n}\n'),
    "tabs": ('{\n\t"a": 1\n}\n', '{\n\t"a": 1,\n\t"mcp": {\n\t\t"x": 1\n\t}\n}\n'),
    "four spaces": (
        '{\n    "mcp": {\n        "y": 2\n    }\n}\n',
        '{\n    "mcp": {\n        "y": 2,\n        "x": 1\n    }\n}\n',
    ),
    "CRLF": ('{\r\n  "a": 1\r\n}\r\n', '{\r\n  "a": 1,\r\n  "mcp": {\r\n    "x": 1\r\n  }\r\n}\r\n'),
    "a comment stays with its line": (
        '{\n  "a": 1 // why\n  // end\n}\n',
        '{\n  "a": 1, // why\n  "mcp": {\n    "x": 1\n  }\n  // end\n}\n',
    ),
    "a comment in an empty object": (
        '{\n  "mcp": {\n    // none yet\n  }\n}\n',
        '{\n  "mcp": {\n    // none yet\n    "x": 1\n  }\n}\n',
    ),
    "of two objects of a name the last counts": (
        '{\n  "mcp": {},\n  "mcp": {}\n}',
        '{\n  "mcp": {},\n  "mcp": {\n    "x": 1\n  }\n}',
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_entry_looks_as_if_the_owner_had_written_it(name: str) -> None:
    text, expected = CASES[name]
    assert add(text, ("mcp", "x"), 1).text == expected


def test_what_a_person_added_later_stays() -> None:
    text = '{\n  "a": 1 // why\n}\n'
    result, insertions, made = add(text, ("mcp", "x"), {"command": "groundwire"})
    more = result.replace("    }\n  }\n", '    },\n    "mine": {} // keep\n  }\n')
    assert more != result
    left = remove(more, ("mcp", "x"), insertions, made)
    assert parse(left) == {"a": 1, "mcp": {"mine": {}}}
    assert "// why" in left
    assert "// keep" in left


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', "not valid JSON: unexpected character", 3),
        ("[1]", "expected an object {…} at the top", 1),
        ('{\n\n"mcp": []}', "mcp must be an object {…}", 3),
        ('{"mcp": {\n"x": 5}}', "mcp.x is there already", 2),
        ('{"mcp": null}', "mcp must be an object {…}", 1),
    ],
)
def test_a_text_that_cannot_take_the_entry_is_refused_with_the_line(
    text: str, reason: str, line: int
) -> None:
    with pytest.raises(CannotEdit) as told:
        add(text, ("mcp", "x"), 1)
    assert (told.value.reason, told.value.line) == (reason, line)


def test_the_line_of_an_entry_is_found() -> None:
    text = '{\n  "mcp": {\n    // "x"\n    "x": {}\n  }\n}'
    assert line_of(text, ("mcp", "x")) == 4
    assert line_of(text, ("mcp", "y")) == 2
    assert line_of("", ("mcp",)) is None
