"""A table is added to any TOML text and removed from it without touching another byte."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groundwire.integrations.install.insertion import CannotEdit
from groundwire.integrations.install.toml import add, parse, remove

PATH = ("mcp_servers", "groundwire")
ENTRY = {
    "command": "C:\\bin\\groundwire.exe",
    "args": ["mcp", "--tools", "search"],
    "startup_timeout_sec": 20,
}

UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
WORD = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8).map(
    lambda text: json.dumps(text, ensure_ascii=False)
)
LINE = st.one_of(
    st.just(""),
    st.sampled_from(["# a comment", "  # [mcp_servers.groundwire]", "# 北京"]),
)
VALUE = st.one_of(
    WORD,
    st.sampled_from(
        ["1", "true", "[1, 2]", "{ a = 1 }", '"""\n[mcp_servers.x]\n"""', "'''\n[a]\n'''", "[\n 1,\n]"]
    ),
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    tables = ["", *draw(st.lists(st.sampled_from(["a", "b.c", "mcp_servers.other", '"q.r"']), unique=True))]
    lines: list[str] = []
    for table in tables:
        if table:
            lines.append(f"[{table}]")
        for number in range(draw(st.integers(0, 2))):
            lines.append(f"k{number} = {draw(VALUE)}")
            lines.append(draw(LINE))
    eol = draw(st.sampled_from(["\n", "\r\n"]))
    end = draw(st.sampled_from(["", eol, eol * 2]))
    return draw(st.sampled_from(["", "\ufeff"])) + "\n".join(lines).replace("\n", eol) + end


@UNHURRIED
@given(documents())
def test_removing_gives_the_bytes_of_before(text: str) -> None:
    result, insertions, made = add(text, PATH, ENTRY)
    assert parse(result)["mcp_servers"]["groundwire"] == ENTRY  # type: ignore[index]
    assert result.startswith(text)
    assert remove(result, PATH, insertions, made) == text


@UNHURRIED
@given(documents(), st.sampled_from(["\n[later]\nx = 1\n", "\n[mcp_servers.groundwire.tools]\nweb = 1\n"]))
def test_what_others_wrote_behind_it_stays_or_goes_with_it(text: str, behind: str) -> None:
    result, insertions, made = add(text, PATH, ENTRY)
    left = parse(remove(result + behind, PATH, insertions, made))
    expected = parse(text)
    if "later" in behind:
        expected["later"] = {"x": 1}
    assert left == expected


@UNHURRIED
@given(documents())
def test_the_table_is_found_by_name_when_nothing_is_remembered(text: str) -> None:
    result = add(text, PATH, ENTRY).text
    assert "groundwire" not in str(parse(remove(result, PATH)).get("mcp_servers", ""))


def test_it_looks_as_people_write_it() -> None:
    assert add('model = "x"\n', PATH, {"command": "/bin/gw", "args": ["mcp"]}).text == (
        'model = "x"\n\n[mcp_servers.groundwire]\ncommand = "/bin/gw"\nargs = ["mcp"]\n'
    )


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        ('a = 1\nb = "open\n', "not valid TOML", 2),
        ("\n[mcp_servers.groundwire]\n", "mcp_servers.groundwire is there already", 2),
        ("a = 1\nmcp_servers = { x = { command = 'y' } }\n", "mcp_servers is written in a form", 2),
    ],
)
def test_a_text_that_cannot_take_it_is_refused_with_its_line(text: str, reason: str, line: int) -> None:
    with pytest.raises(CannotEdit, match=reason) as told:
        add(text, PATH, ENTRY)
    assert told.value.line == line
