"""The law of edits: whatever mistake the strings carry, the file ends as it was meant, or as it was."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from groundwire.tools.matching import Edit, Strategy, find_edit
from groundwire.tools.matching.keys import tokens

WORDS = ["alpha", "beta", "gamma", "delta", "value", "count", "x", "y1", "y2", "self", "item", "items"]
word = st.sampled_from(WORDS)
statement = st.one_of(
    st.builds("{} = {}".format, word, word),
    st.builds("{}({}, {})".format, word, word, word),
    st.builds('print("{} - {}")'.format, word, word),
    st.builds("if {} < {}:".format, word, word),
    st.just("}"),
    st.just(""),
)
line = st.builds(lambda depth, body: ("    " * depth + body) if body else "", st.integers(0, 3), statement)
file_lines = st.lists(line, min_size=4, max_size=30)


@dataclass(frozen=True)
class Hunk:
    """Lines of a file, of which `removed` (from `start` on) become `added`."""

    lines: list[str]
    above: int
    start: int
    end: int
    below: int
    added: list[str]

    @property
    def old(self) -> list[str]:
        return self.lines[self.above : self.below]

    @property
    def new(self) -> list[str]:
        return self.lines[self.above : self.start] + self.added + self.lines[self.end : self.below]

    @property
    def meant(self) -> list[str]:
        return self.lines[: self.start] + self.added + self.lines[self.end :]


@st.composite
def hunks(draw: st.DrawFn) -> Hunk:
    lines = draw(file_lines)
    start = draw(st.integers(0, len(lines) - 1))
    end = draw(st.integers(start, min(len(lines), start + 3)))
    above, below = max(0, start - draw(st.integers(0, 3))), min(len(lines), end + draw(st.integers(0, 3)))
    added = draw(st.lists(line, max_size=3))
    assume(added != lines[start:end])
    assume("".join(lines[above:below]).strip())
    return Hunk(lines, above, start, end, below, added)


def squeezed(lines: list[str]) -> str:
    return "".join("".join(lines).split())


def told_apart(hunk: Hunk) -> bool:
    """Whether the old lines stand in the file once, even to a reader who sees no blanks."""
    text, old = squeezed(hunk.lines), squeezed(hunk.old)
    return text.find(old) == text.rfind(old)


def check(hunk: Hunk, old: list[str], new: list[str], ending: str = "\n") -> None:
    """The edit made with these strings is the one that was meant, or none."""
    text = ended(hunk.lines, ending)
    outcome = find_edit(text, ended(old), ended(new))
    if isinstance(outcome, Edit):
        allowed = {ended(hunk.meant, ending)}
        plain = ended(hunk.lines)
        if plain.count(ended(old)) == 1:
            literal = plain.replace(ended(old), ended(new))
            allowed.add(
                (literal if literal.endswith("\n") or not literal else literal + "\n").replace("\n", ending)
            )
        assert outcome.text in allowed


def ended(lines: list[str], ending: str = "\n") -> str:
    return "".join(body + ending for body in lines)


@given(hunks(), st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=150, deadline=None)
def test_a_correct_call_makes_the_meant_edit_or_none(hunk: Hunk, ending: str) -> None:
    check(hunk, hunk.old, hunk.new, ending)


@given(hunks())
@settings(max_examples=200, deadline=None)
def test_lost_common_indentation_never_leads_astray(hunk: Hunk) -> None:
    assume(told_apart(hunk))
    filled = [body for body in hunk.old + hunk.new if body]
    common = min(len(body) - len(body.lstrip()) for body in filled)
    check(hunk, [body[common:] for body in hunk.old], [body[common:] for body in hunk.new])


@given(hunks())
@settings(max_examples=200, deadline=None)
def test_tabs_for_spaces_never_lead_astray(hunk: Hunk) -> None:
    assume(told_apart(hunk))
    check(
        hunk,
        [body.replace("    ", "\t") for body in hunk.old],
        [body.replace("    ", "\t") for body in hunk.new],
    )


@given(hunks())
@settings(max_examples=150, deadline=None)
def test_typographic_marks_never_lead_astray(hunk: Hunk) -> None:
    assume(told_apart(hunk))
    marks = str.maketrans({'"': "”", "-": "–"})
    check(hunk, [body.translate(marks) for body in hunk.old], [body.translate(marks) for body in hunk.new])


@given(hunks(), st.data())
@settings(max_examples=120, deadline=None)
def test_a_block_that_is_gone_is_never_replaced_elsewhere(hunk: Hunk, data: st.DataObject) -> None:
    rest = hunk.lines[: hunk.above] + hunk.lines[hunk.below :]
    assume(squeezed(hunk.old) not in squeezed(rest))
    assume(len([body for body in hunk.old if body]) > 1)
    text = ended(rest)
    outcome = find_edit(text, ended(hunk.old), ended(hunk.new))
    assert not isinstance(outcome, Edit) or outcome.text == text


@given(hunks(), st.data())
@settings(max_examples=120, deadline=None)
def test_a_line_changed_since_is_never_overwritten(hunk: Hunk, data: st.DataObject) -> None:
    removed = [at for at in range(hunk.start, hunk.end) if hunk.lines[at].strip()]
    assume(removed)
    at = data.draw(st.sampled_from(removed))
    changed = hunk.lines[at].rstrip() + " # edited"
    lines = [*hunk.lines[:at], changed, *hunk.lines[at + 1 :]]
    assume(squeezed(hunk.old) not in squeezed(lines))
    text = ended(lines)
    outcome = find_edit(text, ended(hunk.old), ended(hunk.new))
    assert not isinstance(outcome, Edit) or outcome.text == text


@given(st.lists(st.sampled_from(["a", "b ", "  c", "\tc", "x\u2028y", "é", ""]), max_size=12), st.data())
@settings(max_examples=200, deadline=None)
def test_characters_outside_the_edited_lines_never_change(lines: list[str], data: st.DataObject) -> None:
    endings = [data.draw(st.sampled_from(["\n", "\r\n"])) for _ in lines]
    text = "".join(body + ending for body, ending in zip(lines, endings, strict=True))
    old = data.draw(st.sampled_from(["a", "b", "c", " c", "x\u2028y", "a\nb", "b\nc", "c\na", "é\n"]))
    outcome = find_edit(text, old, "NEW\nLINES")
    if not isinstance(outcome, Edit):
        return
    first, last = outcome.places[0].first - 1, outcome.places[-1].last
    before = "".join(b + e for b, e in zip(lines[:first], endings[:first], strict=True))
    after = "".join(b + e for b, e in zip(lines[last:], endings[last:], strict=True))
    assert outcome.text.startswith(before)
    assert outcome.text.endswith(after)


PIECES = [
    "a",
    "foo",
    "bar(x)",
    "x = 1",
    " ",
    "\t",
    "\n",
    "\r\n",
    "“",
    "”",
    "–",
    '"',
    "'",
    "\u00a0",
    "}",
    "if a:",
    "; ",
]
ODD = [
    *PIECES,
    "\r",
    "\u2028",
    "...",
    "# ...",
    "\\n",
    '\\"',
    "\\",
    "```",
    "12: ",
    "13\t",
    "&lt;",
    "<",
    "\0",
    "\ud800",
]
BLANKS = [" ", "\n", "\t", "\n\n"]


def words(text: str) -> str:
    """The tokens of a text, each between two blanks of its own, so that neighbours are counted apart."""
    return "".join(f" {token.normal} " for token in tokens(text))


def times(text: str, part: str) -> int:
    """How often the part stands in the text; `aa` stands in `aaa` twice."""
    return sum(text.startswith(part, at) for at in range(len(text)))


@given(st.lists(st.sampled_from(PIECES), min_size=4, max_size=40).map("".join), st.data())
@settings(max_examples=250, deadline=None)
def test_whatever_the_blanks_exactly_the_asked_for_tokens_change(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    piece = text[start : start + data.draw(st.integers(8, 60))]
    cut = data.draw(st.integers(0, len(piece)))
    old = piece[:cut] + data.draw(st.sampled_from(BLANKS)) + piece[cut:]
    at = data.draw(st.integers(0, len(old)))
    new = old[:at] + data.draw(st.sampled_from(PIECES)) + old[at + data.draw(st.integers(0, 3)) :]
    assume(words(old).strip() and times(words(text), words(old)) == 1)
    outcome = find_edit(text, old, new)
    if isinstance(outcome, Edit) and outcome.strategy is not Strategy.EXACT:
        assert words(outcome.text).split() == words(text).replace(words(old), words(new)).split()


@given(*(st.lists(st.sampled_from(ODD), max_size=size).map("".join) for size in (40, 12, 12)), st.booleans())
@settings(max_examples=250, deadline=None)
def test_no_text_and_no_string_makes_it_fail(text: str, old: str, new: str, multiple: bool) -> None:
    outcome = find_edit(text, old, new, multiple=multiple)
    assert not isinstance(outcome, Edit) or outcome.text != text


def test_two_typographic_dashes_are_not_one() -> None:
    assert not isinstance(find_edit(" ––a", " –a", "a –a"), Edit)


def test_a_number_that_is_no_line_number_does_not_lead_to_an_empty_line() -> None:
    assert not isinstance(find_edit("\r\naax = 1\r\n", " 1\r \n", "a 1\r \n"), Edit)
    assert not isinstance(find_edit("\nfirst\n", "1\n", "1\nsecond\n"), Edit)


def test_a_word_that_the_file_has_as_a_part_of_others_is_no_typo() -> None:
    text = "class SyncStream:\nasync def send():\n    flow = auth.async_flow()\n    try:\n        go()\n"
    old = "    flow = auth.sync_flow()\n    try:\n        go()\n"
    assert not isinstance(find_edit(text, old, old.replace("go()", "run()")), Edit)


def test_blanks_that_only_the_new_string_has_at_the_end_of_a_line_are_not_dropped_silently() -> None:
    text = "a {\n    one;  \n}\nelse {\n    two;\n}\n"
    old, new = "    one;\n}\nelse {\n    two;\n}\n", "    one;\n} \nelse throw;\n"
    assert not isinstance(find_edit(text, old, new), Edit)
    assert isinstance(find_edit(text, old, new.replace("} ", "}")), Edit)
