"""Terms: every language can be found by what people type, and no query can break SQLite's syntax."""

from __future__ import annotations

import sqlite3
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.corpus.terms import (
    MAX_QUERY_TERMS,
    STEM_LETTERS,
    TOKENIZER,
    fold,
    held_terms,
    index_form,
    query_terms,
    stem,
)


def finds(query: str, text: str) -> bool:
    """Whether FTS5 finds the text by all terms of the query."""
    connection = sqlite3.connect(":memory:")
    connection.execute(f'CREATE VIRTUAL TABLE terms USING fts5(body, content="", tokenize="{TOKENIZER}")')
    connection.execute("INSERT INTO terms(rowid, body) VALUES (1, ?)", (index_form(text),))
    expression = " AND ".join(term.match_expression for term in query_terms(query))
    try:
        return bool(connection.execute("SELECT 1 FROM terms WHERE terms MATCH ?", (expression,)).fetchall())
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("天气", "今天北京天气晴朗"),
        ("北京", "北京"),
        ("气", "今天北京天气"),
        ("晴", "北京天气晴"),
        ("北京天气", "今天的北京天气很好"),
        ("梅雨", "六月から梅雨に入ります"),
        ("カメラ", "新しいカメラを買う"),
        ("ｶﾒﾗ", "新しいカメラを買う"),
        ("がくせい", "か\u3099くせいです"),
        ("날씨", "오늘 서울의 날씨는 맑다"),
        ("ฝน", "วันนี้มีฝนตก"),
        ("กรุงเทพ", "อากาศในกรุงเทพร้อน"),
        ("မိုး", "ယနေ့မိုးရွာသည်"),
        ("मौसम", "आज का मौसम अच्छा है"),
        ("погода", "Какая Погода в Москве"),
        ("café", "un cafe\u0301 noir"),
        ("cafe", "un café noir"),
        ("CAFÉ", "un café noir"),
        ("Strasse", "die Straße"),
        ("Lodz", "Łódź"),
        ("istanbul", "İstanbul"),
        ("ΟΔΟΣ", "η οδος"),
        ("كتاب", "كِتَاب"),
        ("שלום", "שָׁלוֹם"),
        ("ﬁle", "a file"),
        ("coöperate", "cooperate"),
        ("soft\u00adhyphen", "softhyphen"),
        ("😀", "well done😀!"),
        ("👍", "agreed 👍🏽"),
        ("👩‍💻", "a 👩🏽‍💻 at work"),
        ("🇯🇵", "from 🇯🇵 with love"),
        ("☔", "rain ☔️ today"),
        ("forecast", "three forecasts"),
        ("running", "it runs"),
        ("universities", "a university"),
        ("GPT4", "with gpt4, today"),
        ("snake_case", "in snake_case style"),
        ("Python编程", "学习Python编程语言"),
    ],
)
def test_a_query_finds_the_text(query: str, text: str) -> None:
    assert finds(query, text)
    assert held_terms(query_terms(query), text) == frozenset(query_terms(query))


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("气天", "今天天气"),
        ("🇯🇵", "from 🇵🇪 with 🇯🇴"),
        ("😀", "😃"),
        ("rain", "the train"),
        ("日本", "日の本"),
    ],
)
def test_a_query_does_not_find_what_only_looks_similar(query: str, text: str) -> None:
    assert not finds(query, text)
    assert held_terms(query_terms(query), text) == frozenset()


def test_a_question_is_looked_for_without_the_words_every_question_has() -> None:
    assert [term.text for term in query_terms("What's the weather in Beijing?")] == ["weather", "beijing"]
    assert [term.text for term in query_terms("北京的天气怎么样？")] == ["北京", "天气"]
    assert [term.text for term in query_terms("Quelle est la météo ?")] == ["meteo"]


def test_a_query_of_nothing_but_such_words_keeps_them() -> None:
    assert [term.text for term in query_terms("who is who")] == ["who", "is"]
    assert [term.text for term in query_terms("为什么")] == ["为什", "什么"]


def test_a_word_said_twice_is_looked_for_once() -> None:
    assert [term.text for term in query_terms("rain, Rain and RAIN")] == ["rain"]


def test_a_huge_query_is_cut() -> None:
    assert len(query_terms(" ".join(f"word{number}" for number in range(30_000)))) == MAX_QUERY_TERMS


@pytest.mark.parametrize("query", ["", "  ", "?!", "🏽", "\u0301", '"', "***", "\ud83d"])
def test_a_query_without_words_has_no_terms(query: str) -> None:
    assert query_terms(query) == []


@pytest.mark.parametrize(
    "query", ['a"b', "NEAR(x y)", "a AND NOT b OR", "body:x", "^x*", "x + y", "((x", "a\0b", "é\0b"]
)
def test_operators_of_the_query_language_are_ordinary_words(query: str) -> None:
    assert finds(query, query.replace("\0", " "))


MANY_SCRIPTS = (
    "abcXYZ019éßÅñøŁ çΔλςЖяیکदिनी天气雨京がカーー날씨ฝนทกี้ 😀☔👍🏽\u200d\ufe0f\u0301 .,!?-_()\"*:'。、！"
)


@settings(max_examples=200)
@given(st.text(alphabet=MANY_SCRIPTS, max_size=40))
def test_any_text_is_found_by_itself(text: str) -> None:
    terms = query_terms(text)
    assert not terms or finds(text, text)
    assert held_terms(terms, text) == frozenset(terms)


@settings(max_examples=200)
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=40))
def test_no_text_breaks_the_query_language(text: str) -> None:
    if query_terms(text):
        finds(text, "something else")


@given(st.text(max_size=60))
def test_composed_and_decomposed_text_fold_alike(text: str) -> None:
    assert fold(unicodedata.normalize("NFC", text)) == fold(unicodedata.normalize("NFD", text))


@given(st.text(alphabet="abcdefgilnstuy", max_size=14))
def test_a_stem_is_never_empty_and_never_longer(word: str) -> None:
    assert bool(stem(word)) == bool(word)
    assert len(stem(word)) <= len(word)
    assert stem(word)[:STEM_LETTERS] == word[:STEM_LETTERS]


def test_words_that_share_a_stem_are_all_held() -> None:
    terms = query_terms("forecast forecasts")
    assert held_terms(terms, "forecasting") == frozenset(terms)
