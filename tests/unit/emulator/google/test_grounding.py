"""Search answers in Gemini's form: what the metadata says is true of the text that was written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.emulator.composing import STYLES, Style, search_and_compose, style_of
from groundwire.emulator.google.grounding import grounding_metadata

PATH = "/v1beta/models/gemini-2.5-flash:generateContent"
SEARCH: dict[str, Any] = {"tools": [{"googleSearch": {}}]}


@dataclass(frozen=True)
class Page:
    title: str
    url: str
    text: str


class Shelf:
    """Documents that are all found, whatever the query."""

    def __init__(self, *pages: Page) -> None:
        self._pages = pages

    def find(self, query: str, limit: int) -> list[Page]:
        return list(self._pages[:limit])


def text_of(candidate: Any) -> str:
    return "".join(part["text"] for part in candidate["content"]["parts"] if not part.get("thought"))


def check_offsets(text: str, metadata: Any) -> None:
    encoded = text.encode()
    for support in metadata.get("groundingSupports", []):
        segment = support["segment"]
        cited = encoded[segment.get("startIndex", 0) : segment["endIndex"]]
        assert cited.decode() == segment["text"]
        for index in support["groundingChunkIndices"]:
            assert metadata["groundingChunks"][index]["web"]["uri"].startswith("http")


@pytest.mark.parametrize(
    "query", ["weather in Beijing", "北京天气", "東京の天気", "emoji combining characters"]
)
@pytest.mark.parametrize("style", STYLES)
async def test_byte_offsets_lead_to_the_cited_words(asking: Any, user: Any, query: str, style: str) -> None:
    ask = asking(scenario=f"style-{style}")
    candidate = (await ask("POST", PATH, user(query, **SEARCH))).json["candidates"][0]
    metadata = candidate["groundingMetadata"]
    assert metadata["webSearchQueries"] == [query]
    assert metadata["groundingChunks"]
    assert metadata["groundingSupports"]
    check_offsets(text_of(candidate), metadata)


async def test_a_stream_brings_the_metadata_last_and_it_fits_the_joined_text(ask: Any, user: Any) -> None:
    heard = await ask(
        "POST", PATH.replace("generate", "streamGenerate") + "?alt=sse", user("北京天气", **SEARCH)
    )
    candidates = [event["candidates"][0] for event in heard.events]
    assert len(candidates) > 1
    assert [("groundingMetadata" in candidate) for candidate in candidates[:-1]] == [False] * (
        len(candidates) - 1
    )
    check_offsets("".join(map(text_of, candidates)), candidates[-1]["groundingMetadata"])


async def test_nothing_found_is_said_without_sources(ask: Any, user: Any) -> None:
    candidate = (await ask("POST", PATH, user("qqxyzzy", **SEARCH))).json["candidates"][0]
    assert "nothing" in text_of(candidate)
    assert "groundingChunks" not in candidate["groundingMetadata"]


async def test_queries_meet_every_layout(ask: Any, user: Any) -> None:
    parts = [
        (await ask("POST", PATH, user(f"weather in Beijing {n}", **SEARCH))).json["candidates"][0]["content"][
            "parts"
        ]
        for n in range(24)
    ]
    texts = [[part for part in some if not part.get("thought")] for some in parts]
    assert {len(some) for some in texts} == {1, 2, 3}
    assert {any(part.get("thought") for part in some) for some in parts} == {True, False}
    assert {style_of(f"weather in Beijing {n}") for n in range(24)} == set(STYLES)


def test_two_supports_can_end_at_the_same_place() -> None:
    shelf = Shelf(Page("A", "https://a.example", "One."), Page("B", "https://b.example", "Two."))
    metadata = grounding_metadata(search_and_compose("q", shelf, "stacked"))
    ends = [support["segment"]["endIndex"] for support in metadata["groundingSupports"]]
    assert ends[0] == ends[1]
    assert [support["groundingChunkIndices"] for support in metadata["groundingSupports"][:2]] == [[0], [1]]


def test_passages_of_one_document_share_a_chunk() -> None:
    shelf = Shelf(Page("A", "https://a.example", "One."), Page("A", "https://a.example", "Two."))
    metadata = grounding_metadata(search_and_compose("q", shelf, "sentences"))
    assert len(metadata["groundingChunks"]) == 1
    assert [support["groundingChunkIndices"] for support in metadata["groundingSupports"]] == [[0], [0]]


TEXT = st.text(min_size=1, max_size=40).filter(lambda text: text.strip() != "")


@given(st.lists(st.tuples(TEXT, st.integers(0, 3)), max_size=6), st.sampled_from(STYLES))
def test_offsets_are_true_for_any_text(pages: list[tuple[str, int]], style: Style) -> None:
    shelf = Shelf(*(Page(f"T{n}", f"https://{n}.example", text) for text, n in pages))
    answer = search_and_compose("q", shelf, style)
    check_offsets(answer.text, grounding_metadata(answer))


async def test_redirecting_links_lead_to_the_source(asking: Any, user: Callable[..., Any]) -> None:
    ask = asking(scenario="redirect-links")
    metadata = (await ask("POST", PATH, user("北京天气", **SEARCH))).json["candidates"][0][
        "groundingMetadata"
    ]
    link = metadata["groundingChunks"][0]["web"]["uri"]
    assert link.startswith(f"{ask.emulator.base_url}/grounding-api-redirect/")
    heard = await ask("GET", link.removeprefix(ask.emulator.base_url))
    assert (heard.status, heard.headers["location"]) == (302, "https://weather.example.org/zh/beijing")
    assert (await ask("GET", "/grounding-api-redirect/nothing")).status == 404
