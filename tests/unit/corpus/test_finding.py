"""Which pieces are looked at, which passages are chosen, and what is quoted of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.corpus import Corpus, candidates
from groundwire.corpus.candidates import expressions
from groundwire.corpus.finding import choose
from groundwire.corpus.passages import Piece
from groundwire.corpus.storage import Candidate
from groundwire.corpus.terms import Term, query_terms


def candidate(text: str, document: int = 1, title: str = "Title", score: float = 1.0) -> Candidate:
    return Candidate(document, title, f"https://x.example/{document}", Piece(100, text, "", 0), score)


def chosen(query: str, *found: Candidate, limit: int = 5) -> list[str]:
    return [passage.text for passage in choose(query_terms(query), found, limit)]


def test_a_piece_with_more_of_the_query_comes_first_whatever_fts5_thinks() -> None:
    assert chosen(
        "heavy rain tomorrow",
        candidate("Rain, rain and rain.", 1, score=9.0),
        candidate("Heavy rain is expected tomorrow.", 2, score=1.0),
    ) == ["Heavy rain is expected tomorrow."]


def test_what_shares_only_a_common_word_is_left_out() -> None:
    found = [candidate(f"Weather note {number}.", number) for number in range(8)]
    assert chosen("weather in Reykjavik", *found, candidate("The weather in Reykjavik is mild.", 99)) == [
        "The weather in Reykjavik is mild."
    ]


def test_a_term_in_the_title_counts_for_the_piece() -> None:
    assert chosen(
        "rain Beijing",
        candidate("Rain is expected.", 1, title="Oslo"),
        candidate("Rain is expected on Thursday.", 2, title="Beijing"),
    ) == ["Rain is expected on Thursday."]


def test_the_sentence_that_answers_is_quoted_with_its_position() -> None:
    text = "It was a long winter in the whole valley. The river froze in January. Then came spring."
    (passage,) = choose(query_terms("when did the river freeze"), [candidate(text)], 5)
    assert passage.text == "The river froze in January. Then came spring."
    assert (passage.start, passage.end) == (100 + text.index("The river"), 100 + len(text))


def test_words_that_stand_together_in_the_query_are_preferred_together() -> None:
    assert (
        chosen(
            "new york",
            candidate("York is a new member of this old league.", 1, score=1.2),
            candidate("It happened in New York, a city of millions.", 2, score=1.0),
        )[0]
        == "It happened in New York, a city of millions."
    )


def test_a_quotation_stays_within_its_block() -> None:
    assert chosen("river", candidate("The river froze.\nAnother item.\n")) == ["The river froze."]


def test_a_heading_is_quoted_only_when_there_is_nothing_else() -> None:
    piece = Piece(0, "River facts\nThe river froze.\n", "River facts", 12)
    (passage,) = choose(query_terms("river facts"), [Candidate(1, "T", "u", piece, 1.0)], 5)
    assert passage.text == "The river froze."
    (passage,) = choose(
        query_terms("river"), [Candidate(1, "T", "u", Piece(0, "River facts\n", "River facts", 12), 1.0)], 5
    )
    assert passage.text == "River facts"


def test_one_document_does_not_crowd_out_the_others() -> None:
    crowd = [candidate(f"Rain number {number} fell.", 1, score=5.0) for number in range(5)]
    texts = chosen("rain", *crowd, candidate("Rain elsewhere too.", 2, score=0.1), limit=3)
    assert "Rain elsewhere too." in texts
    assert len(chosen("rain", *crowd, limit=5)) == 5


def test_nothing_found_is_nothing_chosen() -> None:
    assert chosen("rain") == []


def terms(**counts: int) -> dict[Term, int]:
    return {Term(word): count for word, count in counts.items()}


def test_in_a_small_corpus_any_term_may_match() -> None:
    assert list(expressions(terms(a=5, b=3, c=0))) == ['"b" OR "a"']


def test_rare_terms_find_and_common_terms_only_narrow() -> None:
    many = candidates.SCORED_ROWS
    assert list(expressions(terms(the=many, rain=10))) == ['("rain") AND "the"', '"rain"']


def test_common_terms_alone_are_looked_for_in_titles_first() -> None:
    many = candidates.SCORED_ROWS
    assert list(expressions(terms(a=many, b=many))) == [
        'context : ("a" AND "b")',
        '"a" AND "b"',
        '"a" OR "b"',
    ]
    assert list(expressions(terms())) == []


def test_a_large_corpus_still_finds_the_document_about_a_common_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "SCORED_ROWS", 20)
    for number in range(60):
        (tmp_path / f"{number}.md").write_text(
            f"# Note {number}\n\nPython is mentioned here.", encoding="utf-8"
        )
    (tmp_path / "z.md").write_text("# About Python\n\nPython is a language.", encoding="utf-8")
    (tmp_path / "y.md").write_text("# Snakes\n\nA python mentioned with an anaconda.", encoding="utf-8")
    with Corpus.in_memory(tmp_path) as corpus:
        assert corpus.find("python")[0].title == "About Python"
        assert corpus.find("python anaconda")[0].title == "Snakes"
        assert corpus.find("python mentioned nowhere")[0].text == "Python is mentioned here."
