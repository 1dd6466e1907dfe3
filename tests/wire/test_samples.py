"""Every provider against recorded situations: what the server sent, and the result a caller gets.

A situation is a folder: `situation.toml` says what it is and how the server answered, `body.*` is what
it sent, `result.json` what comes of it. To record a new one, add the first two and run
`GROUNDWIRE_RECORD=1 pytest tests/wire`, then read what was written.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from groundwire.citations import WebSearchResult, failure, result
from groundwire.errors import SearchFailed
from groundwire.providers.base import Provider, Question
from groundwire.providers.gemini import Gemini
from groundwire.providers.openai_oauth import OpenAIOAuth
from groundwire.providers.openrouter import OpenRouter
from groundwire.transport.retry import Refusal

SAMPLES = Path(__file__).parent / "samples"
SITUATIONS = sorted(path.parent for path in SAMPLES.glob("*/*/situation.toml"))


def provider_for(name: str, situation: dict[str, Any]) -> Provider:
    if name == "gemini":
        return Gemini()
    if name == "openai_oauth":
        return OpenAIOAuth()
    return OpenRouter(web_tool=situation.get("web_tool", "plugin"))


def played(folder: Path, *, chunk_size: int) -> WebSearchResult:
    """The result of a situation, its body arriving in chunks of this size."""
    situation = tomllib.loads((folder / "situation.toml").read_text(encoding="utf-8"))
    (body_file,) = folder.glob("body.*")
    body = body_file.read_bytes()
    provider = provider_for(folder.parent.name, situation)
    question = Question(situation["query"], provider.models[0], stream=situation["stream"])
    headers = situation["headers"]
    try:
        if situation["status"] >= 400:
            raise provider.refused(Refusal(situation["status"], headers, body))
        reader = provider.reader(question)
        for start in range(0, len(body), chunk_size):
            reader.feed(body[start : start + chunk_size])
        reader.rest()
        return result(question.query, reader.finish())
    except SearchFailed as error:
        return failure(error)


@pytest.mark.parametrize("folder", SITUATIONS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_a_recorded_situation_gives_its_result(folder: Path, record: bool) -> None:
    told = played(folder, chunk_size=1 << 20).to_json()
    expected = folder / "result.json"
    if record:
        expected.write_bytes(msgspec.json.format(msgspec.json.encode(told), indent=2) + b"\n")
    assert told == msgspec.json.decode(expected.read_bytes())


@pytest.mark.parametrize("folder", SITUATIONS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_it_does_not_matter_how_the_bytes_arrive(folder: Path) -> None:
    expected = msgspec.json.decode((folder / "result.json").read_bytes())
    assert played(folder, chunk_size=7).to_json() == expected


@pytest.mark.parametrize("provider", ["gemini", "openai_oauth", "openrouter"])
def test_each_provider_has_at_least_twelve_situations(provider: str) -> None:
    assert len([folder for folder in SITUATIONS if folder.parent.name == provider]) >= 12


@pytest.mark.parametrize("folder", SITUATIONS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_nothing_raw_is_left_in_an_answer(folder: Path) -> None:
    told = played(folder, chunk_size=1 << 20)
    if told.answer is None or folder.name == "parentheses_and_code":  # code keeps its links
        return
    for raw in ("\ue200", "\ue201", "\ue202", "](http", "†", "utm_source"):
        assert raw not in told.answer.text
    numbers = [number for citation in told.answer.citations for number in citation.numbers]
    assert all(1 <= number <= len(told.answer.sources) for number in numbers)
