"""Where an edit goes: each strategy finds its place, and what is not certain is refused."""

from __future__ import annotations

import pytest

from groundwire.tools.matching import Edit, Reason, Refusal, Strategy, find_edit

FILE = """\
class Cart:
    def total(self):
        price = sum(self.prices)
        return price

    def clear(self):
        self.prices = []
        return self
"""


def edit(old: str, new: str, text: str = FILE, *, multiple: bool = False) -> Edit:
    outcome = find_edit(text, old, new, multiple=multiple)
    assert isinstance(outcome, Edit), outcome
    return outcome


def refusal(old: str, new: str, text: str = FILE, *, multiple: bool = False) -> Refusal:
    outcome = find_edit(text, old, new, multiple=multiple)
    assert isinstance(outcome, Refusal), outcome
    return outcome


# -- finding --------------------------------------------------------------------------------------------


def test_an_exact_match_is_replaced_literally() -> None:
    found = edit("return price", "return round(price)")
    assert found.strategy is Strategy.EXACT
    assert found.text == FILE.replace("return price", "return round(price)")
    assert [str(place) for place in found.places] == ["4"]


def test_dollar_signs_and_backslashes_in_new_text_mean_themselves() -> None:
    assert edit("b", r"$& \1 $$", "abc").text == r"a$& \1 $$c"


def test_lost_trailing_blanks_do_not_hide_the_place_and_stay_in_the_file() -> None:
    text = "one  \ntwo\t\nthree\n"
    found = edit("one\ntwo\nthree", "one\ntwo\n3", text)
    assert (found.strategy, found.text) == (Strategy.TRAILING_SPACE, "one  \ntwo\t\n3\n")


def test_dedented_text_gets_the_indentation_of_the_file() -> None:
    found = edit(
        "price = sum(self.prices)\nreturn price",
        "price = sum(self.prices)\nif not price:\n    return 0\nreturn price",
    )
    assert found.strategy is Strategy.INDENTATION
    assert "        if not price:\n            return 0\n        return price\n" in found.text


def test_tabs_become_the_spaces_of_the_file() -> None:
    found = edit(
        "\tdef clear(self):\n\t\tself.prices = []", "\tdef clear(self):\n\t\tif self:\n\t\t\tself.prices = []"
    )
    assert "        if self:\n            self.prices = []\n" in found.text


def test_spaces_become_the_tabs_of_the_file() -> None:
    text = FILE.replace("    ", "\t")
    found = edit(
        "    def clear(self):\n        self.prices = []",
        "    def clear(self):\n        self.prices = {}",
        text,
    )
    assert found.text == text.replace("[]", "{}")


def test_two_spaces_a_level_become_four() -> None:
    found = edit(
        "  def clear(self):\n    self.prices = []", "  def clear(self):\n    for x in self:\n      x.clear()"
    )
    assert "        for x in self:\n            x.clear()\n        return self" in found.text


def test_typographic_quotes_are_turned_back_also_in_new_text() -> None:
    text = 'print("a - b")\nprint("c")\n'
    found = edit("print(“a – b”)\nprint(“c”)", "print(“a – b”)\nprint(“it’s d”)", text)
    assert found.text == 'print("a - b")\nprint("it\'s d")\n'


def test_typographic_quotes_of_the_file_survive_in_changed_lines() -> None:
    found = edit('She said "it\'s red" then.', 'She said "it\'s blue" then.', "She said “it’s red” then.\n")
    assert found.text == "She said “it’s blue” then.\n"


def test_blanks_between_tokens_stay_as_the_file_has_them() -> None:
    text = "x   = f( a, b )\ny = 2\n"
    found = edit("x = f(a,b)\ny = 2", "x = f(a,c)\ny = 2", text)
    assert (found.strategy, found.text) == (Strategy.SPACING, "x   = f( a, c )\ny = 2\n")


def test_a_part_of_a_line_is_found_with_other_blanks() -> None:
    found = edit("sum( self.prices )", "sum( self.costs )")
    assert (found.strategy, found.text) == (
        Strategy.FRAGMENT,
        FILE.replace("sum(self.prices)", "sum(self.costs)"),
    )


@pytest.mark.parametrize("blank", ["", "\n"])
def test_a_blank_line_dropped_or_added_does_not_hide_the_place(blank: str) -> None:
    old = f"        return price\n    def clear(self):\n{blank}        self.prices = []"
    found = edit(old, old.replace("[]", "{}"))
    assert (found.strategy, found.text) == (Strategy.BLANK_LINES, FILE.replace("[]", "{}"))


STUBBED = '''\
class Kept:
    def add(self, one: int) -> None:
        """One more."""
        self._all.append(one)

    def clear(self) -> None:
        """No more."""
        self._all.clear()
'''


@pytest.mark.parametrize("text", [STUBBED, "class Shape:\n    def area(self):\n        ...\n\n\n" + STUBBED])
def test_a_statement_of_dots_is_not_taken_for_elided_lines(text: str) -> None:
    old = '        """One more."""\n        ...\n\n    def clear(self) -> None:\n        """No more."""'
    assert refusal(old, old.replace("No more", "Nothing"), text).reason is Reason.UNCERTAIN


def test_an_elided_middle_stays_as_it_is() -> None:
    old = "class Cart:\n    ...\n        return self\n"
    found = edit(old, old.replace("return self", "return None"))
    assert (found.strategy, found.text) == (Strategy.ELISION, FILE.replace("return self", "return None"))


def test_a_mistyped_context_line_is_found_and_not_repeated() -> None:
    old = "    def claer(self):\n        self.prices = []\n        return self\n"
    found = edit(old, old.replace("[]", "{}"))
    assert (found.strategy, found.text) == (Strategy.TYPO, FILE.replace("[]", "{}"))


@pytest.mark.parametrize(
    "decorated",
    [
        "```python\n{0}\n{1}\n```",
        "7: {0}\n8: {1}",
        "   7\t{0}\n   8\t{1}",
        "L7: {0}\nL8: {1}",
        "{0}\\n{1}",
    ],
)
def test_decoration_is_taken_off_both_strings(decorated: str) -> None:
    old = decorated.format("        self.prices = []", "        return self")
    found = edit(old, old.replace("[]", "{}"))
    assert found.strategy is Strategy.EXACT
    assert found.undecorated
    assert found.text == FILE.replace("[]", "{}")


def test_escaped_quotes_and_entities_are_undone_in_both_strings() -> None:
    text = 'a = "x"\nif a < b:\n    pass\n'
    assert edit('a = \\"x\\"', 'a = \\"y\\"', text).text == text.replace('"x"', '"y"')
    assert edit("if a &lt; b:", "if a &gt; b:", text).text == text.replace("<", ">")


def test_only_the_kind_of_quote_that_was_escaped_too_often_is_undone() -> None:
    new = r"""a = \"y\"
b = 'it\'s'"""
    assert edit(r"a = \"x\"", new, 'a = "x"\n').text == 'a = "y"\nb = ' + r"'it\'s'" + "\n"


def test_every_occurrence_is_replaced_when_asked_for() -> None:
    found = edit("self.prices", "self.costs", multiple=True)
    assert found.text == FILE.replace("self.prices", "self.costs")
    assert len(found.places) == 2


def test_every_place_with_another_indentation_is_replaced_when_asked_for() -> None:
    text = "if a:\n    x()\n    y()\nelse:\n        x()\n        y()\n"
    found = edit("  x()\n  y()", "  x()\n  z()", text, multiple=True)
    assert found.text == text.replace("y()", "z()")


# -- refusing -------------------------------------------------------------------------------------------


def test_two_places_are_refused_with_their_lines() -> None:
    refused = refusal("return", "yield")
    assert (refused.reason, refused.found) == (Reason.AMBIGUOUS, 2)
    assert "lines 4, 8" in refused.explanation


def test_a_string_that_overlaps_itself_is_ambiguous() -> None:
    assert refusal("}\n}", "}", "{{{\n}\n}\n}\n").reason is Reason.AMBIGUOUS


def test_two_places_of_a_loose_match_are_refused_and_no_looser_strategy_is_tried() -> None:
    text = "if a:\n    x()\n    y()\nelse:\n        x()\n        y()\n"
    assert refusal("  x()\n  y()", "  x()\n  z()", text).reason is Reason.AMBIGUOUS


def test_a_refusal_shows_the_nearest_lines_and_what_differs() -> None:
    refused = refusal("        self.amounts = []\n        return self", "        pass")
    assert refused.reason is Reason.NOT_FOUND
    nearest = refused.candidates[0]
    assert str(nearest.place) == "7-8"
    assert "-         self.amounts = []\n+         self.prices = []" in nearest.difference


def test_a_sibling_with_another_name_is_not_taken_for_a_typo() -> None:
    text = "def item(a):\n    x = 1\n    return x\n"
    for name in ("items", "time", "iten"):
        other = text.replace("item", "number")
        old = text.replace("item", name)
        assert refusal(old, old.replace("x = 1", "x = 2"), other).reason is Reason.NOT_FOUND
    old = text.replace("item", "items")
    assert refusal(old, old.replace("x = 1", "x = 2"), text).reason is Reason.NOT_FOUND


def test_digits_are_never_typos() -> None:
    text = "load_part_one1()\nx = 1\ny = 2\nz = 3\n"
    old = text.replace("one1", "one2")
    assert refusal(old, old.replace("y = 2", "y = 4"), text).reason is Reason.NOT_FOUND


def test_a_typo_in_a_line_to_be_replaced_is_refused() -> None:
    old = "    def clear(self):\n        self.pricse = []\n        return self\n"
    assert refusal(old, old.replace("self.pricse = []", "pass")).reason is Reason.NOT_FOUND


def test_what_is_done_already_is_said_to_be_done() -> None:
    text = "if a:\n        x()\nelse:\n    y()\n"
    assert refusal("if a:\n    x()\nelse:\n    y()", "if a:\n        x()\nelse:\n    y()", text).reason in (
        Reason.ALREADY_DONE,
        Reason.UNCERTAIN,
    )


def test_lost_relative_indentation_is_not_guessed() -> None:
    text = "def f():\n    if a:\n        x()\n    y()\n"
    old = "def f():\nif a:\nx()\ny()"
    assert refusal(old, "def f():\nif a:\nx()\nz()\ny()", text).reason is Reason.UNCERTAIN


def test_an_insertion_where_blank_lines_differ_is_not_guessed() -> None:
    text = "a = 1\n\n\nb = 2\nc = 3\n"
    assert refusal("a = 1\nb = 2\nc = 3", "a = 1\nx = 9\nb = 2\nc = 3", text).reason is Reason.UNCERTAIN


def test_an_elision_in_a_file_with_such_lines_is_refused() -> None:
    text = "def f():\n    # ...\n    x = 1\n    y = 2\n    return y\n"
    old = "def f():\n    # ...\n    return y"
    assert isinstance(find_edit(text, old, old.replace("return y", "return x")), Refusal)


def test_blanks_alone_match_only_exactly() -> None:
    assert refusal("   ", "x", "a\n\nb\n").reason is Reason.NOT_FOUND


def test_identical_strings_change_nothing() -> None:
    assert refusal("return self", "return self").reason is Reason.NO_CHANGE


def test_escapes_that_can_be_read_in_two_ways_are_refused() -> None:
    text = 'say("x")\n'
    assert refusal('say(\\"x\\")', 'say(\\"x\\\\\\\\y\\")', text).reason is Reason.UNCERTAIN


def test_a_mark_that_old_text_says_nothing_about_is_not_guessed() -> None:
    text = 'say("a")\n'
    for mark in ("…", "–", "\u00a0"):
        assert refusal("say(“a”)", f"say(“a{mark}b”)", text).reason is Reason.UNCERTAIN


def test_a_single_numbered_line_must_stand_where_its_number_says() -> None:
    text = "1: one\n2: foo\nfoo bar\n"
    assert refusal("1: foo bar", "1: changed", text).reason is Reason.UNCERTAIN
    assert edit("3: foo bar", "3: changed", text).text == text.replace("foo bar", "changed")


def test_words_are_never_glued_together() -> None:
    assert refusal("bar( x)", "bb x)", "a\nbar(x)\n").reason is Reason.UNCERTAIN
    assert refusal("f( x )  {", "f( x count", "a = f(x){\n").reason is Reason.UNCERTAIN
    assert refusal(" ( x, y ) :", " z( x, y ) :", "def f(x, y):\n").reason is Reason.UNCERTAIN


def test_a_loose_match_in_a_thousand_places_is_refused() -> None:
    assert refusal("x \n", "y\n", "  x\n" * 2000, multiple=True).reason is Reason.UNCERTAIN
    assert edit("x\n", "y\n", "  x\n" * 2000, multiple=True).text == "  y\n" * 2000


# -- bytes that stay ------------------------------------------------------------------------------------


def test_each_line_keeps_its_own_ending() -> None:
    text = "a\r\nb\nc\r\nd\n"
    assert edit("b\nc\nd", "b\nX\nd", text).text == "a\r\nb\nX\r\nd\n"
    assert edit("a \nb\nc", "a \nb\nnew\nc", text).text == "a\r\nb\nnew\nc\r\nd\n"


def test_crlf_in_the_strings_fits_an_lf_file() -> None:
    assert edit("a\r\nb", "a\r\nc", "a\nb\n").text == "a\nc\n"


def test_characters_that_only_look_like_line_ends_are_text() -> None:
    text = "alpha\u2028beta\rgamma\n  delta\n"
    assert edit("delta", "DELTA", text).text == text.replace("delta", "DELTA")
    assert edit(
        "alpha\u2028beta\rgamma  \n  delta", "alpha\u2028beta\rgamma  \n  DELTA", text
    ).text == text.replace("delta", "DELTA")


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        ("a\nb\n", "b\n", "c", "a\nc\n"),
        ("a\nb", "b", "c\n", "a\nc"),
        ("a\nb\n", "a\nb\n", "", ""),
        ("a\nb", "\nb", "", "a"),
        ("a\nb\n", "b\n", "b", "a\nb"),
        ("a\nb", "b", "b\n", "a\nb\n"),
    ],
)
def test_the_final_newline_stays_unless_it_is_the_change(text: str, old: str, new: str, after: str) -> None:
    assert edit(old, new, text).text == after


def test_lines_inserted_after_an_open_last_line_leave_it_open() -> None:
    assert edit("  a\n  b", "  a\n  b\n  c", "x\na\nb").text == "x\na\nb\nc"
