"""Streams: text while it arrives, then the result; and what happens when the reader leaves."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from groundwire.citations import WebSearchResult
from groundwire.config import load_config
from groundwire.emulator import Emulator
from groundwire.runtime import Runtime
from groundwire.testing import AsgiTransport
from groundwire.transport.base import Request, Response
from tests.behaviour.conftest import requirement

QUERY = "What is the weather in Beijing?"


def runtime_for(emulator: Emulator, home: Path) -> Runtime:
    env = emulator.env()
    return Runtime(load_config(env=env, cwd=home, home=home), env=env, http=AsgiTransport(emulator.app))


async def streamed(emulator: Emulator, provider: str, home: Path) -> tuple[list[str], WebSearchResult]:
    async with runtime_for(emulator, home) as runtime:
        events = [event async for event in runtime.search_stream(QUERY, provider)]
    last = events.pop()
    assert isinstance(last, WebSearchResult)
    return [text for text in events if isinstance(text, str)], last


# Not here: `style-numbered`, whose list is only known to be one at its end, and `style-native-titles`, whose
# titles come after the text they name.
@requirement("stream:text-then-result")
@pytest.mark.parametrize(
    ("provider", "scenario"),
    [
        ("gemini", "style-listed"),
        ("gemini", "style-pictured+split-multibyte"),
        ("gemini", "thoughts"),
        ("openai_oauth", "style-native"),
        ("openai_oauth", "style-markers+split-multibyte"),
        ("openai_oauth", "style-grouped"),
        ("openai_oauth", "style-phases"),
        ("openai_oauth", "style-two-messages"),
        ("openai_oauth", "style-code-fences"),
        ("openrouter", "style-exa-brackets"),
        ("openrouter", "style-cjk-brackets"),
        ("openrouter", "style-parentheses"),
        ("openrouter", "items-only"),
    ],
)
async def test_the_streamed_text_is_the_answer_without_its_numbers(
    tmp_path: Path, provider: str, scenario: str
) -> None:
    texts, last = await streamed(Emulator(scenario=scenario), provider, tmp_path)
    assert last.ok, last.llm_content
    assert last.answer is not None
    assert "".join(texts).rstrip() == last.answer.text.rstrip()


@requirement("stream:text-then-result")
@pytest.mark.parametrize("provider", ["gemini", "openai_oauth", "openrouter"])
async def test_a_stream_ends_with_the_result_of_a_search(tmp_path: Path, provider: str) -> None:
    _, last = await streamed(Emulator(), provider, tmp_path)
    async with runtime_for(Emulator(), tmp_path) as runtime:
        assert last.to_json() == (await runtime.search(QUERY, provider)).to_json()


@requirement("stream:text-then-result")
async def test_an_answer_from_memory_is_never_shown(tmp_path: Path) -> None:
    texts, last = await streamed(Emulator(scenario="style-no-search"), "openai_oauth", tmp_path)
    assert texts == []
    assert not last.ok


@requirement("stream:text-then-result")
async def test_a_failure_is_the_last_item_of_a_stream(tmp_path: Path) -> None:
    _, last = await streamed(Emulator(scenario="error-mid-stream"), "gemini", tmp_path)
    assert last.error is not None
    assert last.error.type == "GEMINI_WEB_SEARCH_FAILED"


@requirement("stream:cancelled")
async def test_leaving_a_stream_early_closes_the_response(tmp_path: Path) -> None:
    closed: list[bool] = []
    emulator = Emulator(scenario="slow-drip")
    inner = AsgiTransport(emulator.app)

    class Watched:
        async def send(self, request: Request) -> Response:
            response = await inner.send(request)

            async def close() -> None:
                closed.append(True)
                await response_close()

            response_close, response.close = response.close, close
            return response

    env = emulator.env()
    config = load_config(env=env, cwd=tmp_path, home=tmp_path)
    async with Runtime(config, env=env, http=Watched()) as runtime:
        stream = runtime.search_stream(QUERY, "gemini")
        assert isinstance(await anext(stream), str)
        await stream.aclose()
    assert closed == [True]


@requirement("stream:cancelled")
async def test_cancelling_a_search_closes_the_response(tmp_path: Path) -> None:
    asked = asyncio.Event()

    async def never(seconds: float) -> None:
        asked.set()
        await asyncio.Event().wait()

    emulator = Emulator(scenario="latency", sleep=never)
    async with runtime_for(emulator, tmp_path) as runtime:
        task = asyncio.create_task(runtime.search(QUERY, "gemini"))
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
