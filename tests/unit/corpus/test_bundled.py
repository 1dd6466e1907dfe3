"""The bundled corpus answers questions in many languages, and the package's example runs."""

from __future__ import annotations

import doctest
from collections.abc import Iterator

import pytest

import groundwire.corpus
from groundwire.corpus import Corpus
from groundwire.corpus.corpus import BUNDLED_DOCUMENTS


@pytest.fixture(scope="module")
def bundled() -> Iterator[Corpus]:
    with Corpus.bundled() as corpus:
        yield corpus


def test_the_example_in_the_package_runs() -> None:
    result = doctest.testmod(groundwire.corpus)
    assert (result.attempted, result.failed) == (2, 0)


@pytest.mark.parametrize(
    ("query", "title", "said"),
    [
        ("What's the weather in Beijing?", "Weather in Beijing", "sunny and dry"),
        ("How warm is it in Beijing in July?", "Weather in Beijing", "July is the warmest month"),
        ("北京天气怎么样？", "北京天气", "今天北京天气晴朗干燥"),
        ("天气", "北京天气", "天气晴朗"),
        ("北京下雪吗", "北京天气", "很少下雪"),
        ("梅雨", "東京の天気", "梅雨があり"),
        ("東京の天気を教えてください", "東京の天気", "今日の東京は曇りのち晴れ"),
        ("서울 날씨 어때요?", "서울 날씨", "오늘 서울의 날씨는"),
        ("ฝนฟ้าคะนอง", "สภาพอากาศกรุงเทพ", "มีฝนฟ้าคะนอง"),
        ("temperature a Paris", "La météo à Paris", "température maximale"),
        ("jalapeño", "The jalapeño", "jalapeño is a chilli"),
        ("☔", "Weather signs and what they mean", "umbrella ☔"),
        ("🇯🇵", "Characters, code points and bytes", "flag of Japan"),
        ("How do I run tasks concurrently in asyncio?", "Async code in Python", "asyncio.gather runs"),
        ("长城门票多少钱", "长城游览指南", "门票四十元"),
    ],
)
def test_a_question_finds_the_sentence_that_answers_it(
    bundled: Corpus, query: str, title: str, said: str
) -> None:
    best = bundled.find(query)[0]
    assert best.title == title
    assert said in best.text


def test_every_passage_stands_where_it_says_in_its_document(bundled: Corpus) -> None:
    found = [
        passage for query in ("weather", "天气", "😀 é", "Beijing") for passage in bundled.find(query, 20)
    ]
    assert found
    assert all(bundled.text_of(each)[each.start : each.end] == each.text for each in found)


def test_a_query_about_nothing_in_the_documents_finds_nothing(bundled: Corpus) -> None:
    assert bundled.find("xylophone quarks") == []


def test_every_bundled_document_has_an_address_on_a_reserved_name(bundled: Corpus) -> None:
    rows = bundled._connection.execute("SELECT url, title FROM documents").fetchall()
    assert len(rows) == len(list(BUNDLED_DOCUMENTS.iterdir()))
    reserved = (".example.org/", ".example.com/", ".example.net/")
    assert all(any(host in url for host in reserved) for url, _ in rows)
    assert len({url for url, _ in rows}) == len({title for _, title in rows}) == len(rows)
