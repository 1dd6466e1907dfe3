"""The provider `local`: passages become a cited answer, and the corpus answers like any other transport."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.citations import GroundedAnswer, mark, result
from groundwire.corpus import Corpus, Progress
from groundwire.errors import LocalSearchFailed, MissingCorpus
from groundwire.providers.base import Question
from groundwire.providers.local import (
    CorpusTransport,
    FoundPassage,
    FoundPassages,
    Local,
    compose,
    passages_request,
    read_response,
)
from groundwire.transport.base import Request
from groundwire.transport.retry import Refusal


def passage(text: str, page: str = "a") -> FoundPassage:
    return FoundPassage(text, f"Page {page}", f"https://docs.example.org/{page}", 0, len(text), 1.0)


def composed(*passages: FoundPassage, keep_raw: bool = False) -> GroundedAnswer:
    return compose(FoundPassages(passages), keep_raw=keep_raw)


def bundled(progress: Callable[[Progress], None]) -> Corpus:
    return Corpus.bundled()


async def ask(query: str, transport: CorpusTransport) -> str:
    provider = Local()
    question = Question(query, "passages")
    response = await transport.send(provider.ask(question))
    reader = provider.reader(question)
    reader.feed(await response.read())
    return result(query, reader.finish()).llm_content


@pytest.fixture
def transport() -> Iterator[CorpusTransport]:
    transport = CorpusTransport(bundled)
    yield transport
    transport.close()


async def test_a_question_is_answered_from_the_documents_with_citations(transport: CorpusTransport) -> None:
    told = await ask("What's the weather in Beijing?", transport)
    assert "sunny and dry, with a high of 24 °C" in told
    assert "[1] Weather in Beijing (https://weather.example.org/beijing)" in told


async def test_a_query_that_finds_nothing_says_so_in_the_standard_words(transport: CorpusTransport) -> None:
    told = await ask("xylophone", transport)
    assert told == 'No search results or information found for query: "xylophone"'


def test_the_best_passage_comes_first_and_the_others_are_a_list() -> None:
    answer = composed(passage("Best.", "a"), passage("Second.", "b"), passage("Third.", "a"))
    assert mark(answer.text, answer.citations) == "Best.[1]\n\n- Second.[2]\n- Third.[1]"
    assert [source.uri for source in answer.sources] == [
        "https://docs.example.org/a",
        "https://docs.example.org/b",
    ]


def test_words_that_two_documents_share_are_said_once() -> None:
    answer = composed(passage("Same words.", "a"), passage("same  words.", "b"))
    assert mark(answer.text, answer.citations) == "Same words.[1]"


def test_no_passages_make_an_empty_answer() -> None:
    assert composed().text == ""
    assert composed(passage("  ")).sources == ()


def test_raw_passages_are_kept_only_when_asked_for() -> None:
    assert composed(passage("One.")).raw is None
    assert composed(passage("One."), keep_raw=True).raw["passages"][0]["text"] == "One."


@given(st.lists(st.tuples(st.text(min_size=1, max_size=40), st.sampled_from("abc")), max_size=8))
def test_every_citation_stands_at_the_end_of_a_line_and_has_its_source(found: list[tuple[str, str]]) -> None:
    answer = composed(*(passage(text, page) for text, page in found))
    ends = {at for at in range(1, len(answer.text) + 1) if answer.text[at : at + 1] in ("", "\n")}
    assert {citation.at for citation in answer.citations} <= ends
    numbers = [number for citation in answer.citations for number in citation.numbers]
    assert sorted(set(numbers)) == list(range(1, len(answer.sources) + 1))


@pytest.mark.parametrize("body", [b"", b"{", b'{"passages": 1}', b"[]", b"\xff\xfe"])
def test_a_response_that_holds_no_passages_is_a_failure(body: bytes) -> None:
    with pytest.raises(LocalSearchFailed, match="cannot be read"):
        read_response(body)


def test_the_request_says_what_is_wanted() -> None:
    request = passages_request("雨", 3)
    assert (request.method, request.url) == ("POST", "local://corpus")
    assert msgspec.json.decode(request.body) == {"query": "雨", "limit": 3}


async def test_any_other_request_is_not_found() -> None:
    response = await CorpusTransport(bundled).send(Request("GET", "https://example.org/"))
    assert response.status == 404
    assert "404" in Local().refused(Refusal(response.status, {}, b"")).message


async def test_a_missing_folder_is_told_by_the_first_request() -> None:
    transport = CorpusTransport(lambda progress: Corpus.open(None, progress=progress))
    with pytest.raises(MissingCorpus):
        await transport.send(passages_request("anything"))


async def test_the_corpus_is_opened_once_for_many_requests() -> None:
    opened = []

    def open_corpus(progress: Callable[[Progress], None]) -> Corpus:
        opened.append(progress)
        return Corpus.bundled()

    transport = CorpusTransport(open_corpus)
    await asyncio.gather(*(transport.send(passages_request("weather")) for _ in range(5)))
    transport.close()
    assert len(opened) == 1


async def test_indexing_shows_its_progress(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "one.md").write_text("# One\n\nThe first note.", encoding="utf-8")
    seen: list[Progress] = []
    transport = CorpusTransport(
        lambda progress: Corpus.open(folder, cache_dir=tmp_path / "cache", progress=progress),
        progress=seen.append,
    )
    await transport.send(passages_request("note"))
    transport.close()
    assert [(each.done, each.total, each.current.name) for each in seen] == [(1, 1, "one.md")]


async def test_cancelling_a_search_stops_its_indexing() -> None:
    started, cancelled, stopped = threading.Event(), threading.Event(), threading.Event()

    def open_corpus(progress: Callable[[Progress], None]) -> Corpus:
        started.set()
        cancelled.wait(10)
        try:
            progress(Progress(1, 2, Path("one.md")))
        except LocalSearchFailed:
            stopped.set()
            raise
        return Corpus.bundled()

    search = asyncio.create_task(CorpusTransport(open_corpus).send(passages_request("weather")))
    await asyncio.to_thread(started.wait, 10)
    search.cancel()
    with pytest.raises(asyncio.CancelledError):
        await search
    cancelled.set()
    assert await asyncio.to_thread(stopped.wait, 10)


async def test_documents_written_later_are_found_after_a_while(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "one.md").write_text("The first note.", encoding="utf-8")
    now = 100.0
    transport = CorpusTransport(
        lambda progress: Corpus.open(folder, cache_dir=tmp_path / "cache", progress=progress),
        clock=lambda: now,
    )
    assert "first note" in await ask("note", transport)
    (folder / "two.md").write_text("The second remark.", encoding="utf-8")
    assert "No search results" in await ask("remark", transport)
    now += 10
    assert "second remark" in await ask("remark", transport)
    transport.close()


async def test_an_index_that_was_replaced_is_mentioned_once(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "one.md").write_text("The first note.", encoding="utf-8")
    with Corpus.open(folder, cache_dir=tmp_path / "cache") as corpus:
        assert corpus.index_file is not None
    corpus.index_file.write_bytes(b"no index at all " * 400)
    transport = CorpusTransport(
        lambda progress: Corpus.open(folder, cache_dir=tmp_path / "cache", progress=progress)
    )
    assert "The index of the documents was built anew: it was damaged" in await ask("note", transport)
    assert "built anew" not in await ask("note", transport)
    transport.close()
