"""Drives the real `google-genai` package against the emulator: Gemini API and Vertex AI.

    python conformance/google_genai_client.py [--url http://127.0.0.1:PORT]

Needs only `google-genai` (3.x or 2.x) from PyPI in the Python that runs it; `--url` (or EMULATOR_URL) is
a running emulator without a script. Prints one line per check and exits 1 when one fails.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Callable, Coroutine
from functools import cache, partial
from typing import Any

import google.auth.credentials
from google import genai
from google.genai import errors, types

MODEL = "gemini-2.5-flash"
GEMINI_3 = "gemini-3-pro-preview"
SEARCH = types.GenerateContentConfig(tools=[types.Tool(google_search=types.GoogleSearch())])


class SignedIn(google.auth.credentials.Credentials):
    """Credentials that are good for an emulator and need no renewal."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.token = "ya29.emulator-conformance"

    def refresh(self, request: Any) -> None:
        """Nothing to do."""


@cache
def client(url: str, scenario: str = "") -> genai.Client:
    """A client of the Gemini API; kept, because one that nobody holds closes its connections."""
    headers = {"x-emulator-scenario": scenario} if scenario else {}
    return genai.Client(api_key="emulator-key", http_options=types.HttpOptions(base_url=url, headers=headers))


def vertex(url: str) -> genai.Client:
    """A client of Vertex AI."""
    return genai.Client(
        vertexai=True,
        project="emulator-project",
        location="us-central1",
        credentials=SignedIn(),
        http_options=types.HttpOptions(base_url=url),
    )


def weather(city: str) -> str:
    """The weather in a city."""
    return f"sunny in {city}"


def unary(url: str) -> None:
    """generate_content gives text, usage and a finish reason"""
    answer = client(url).models.generate_content(model=MODEL, contents="hello")
    assert answer.text == "You said: hello", answer.text
    assert answer.candidates[0].finish_reason == types.FinishReason.STOP
    assert answer.usage_metadata.total_token_count > 0


def streaming(url: str) -> None:
    """generate_content_stream gives several chunks that join to the text"""
    chunks = list(client(url).models.generate_content_stream(model=MODEL, contents="hello there"))
    assert len(chunks) > 1
    assert "".join(chunk.text or "" for chunk in chunks) == "You said: hello there"


async def asynchronous(url: str) -> None:
    """the asynchronous client does the same, whole and streamed, many at once"""
    aio = client(url).aio
    answers = await asyncio.gather(
        *(aio.models.generate_content(model=MODEL, contents=f"hello {n}") for n in range(8))
    )
    assert [answer.text for answer in answers] == [f"You said: hello {n}" for n in range(8)]
    stream = await aio.models.generate_content_stream(model=MODEL, contents="hello")
    assert "".join([chunk.text or "" async for chunk in stream]) == "You said: hello"


def search(url: str) -> None:
    """google_search grounds the answer; byte offsets are true of the text"""
    for query in ("weather in Beijing", "北京天气", "東京の天気", "emoji and combining characters"):
        answer = client(url).models.generate_content(model=MODEL, contents=query, config=SEARCH)
        text = answer.text.encode()
        metadata = answer.candidates[0].grounding_metadata
        assert metadata.web_search_queries == [query]
        assert metadata.grounding_supports
        for support in metadata.grounding_supports:
            segment = support.segment
            assert text[segment.start_index or 0 : segment.end_index].decode() == segment.text
            assert all(metadata.grounding_chunks[n].web.uri for n in support.grounding_chunk_indices)


def functions(url: str) -> None:
    """a function call comes back, its result is accepted, also with Gemini 3's thought signatures"""
    for model in (MODEL, GEMINI_3):
        config = types.GenerateContentConfig(
            tools=[weather], automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True)
        )
        asker = client(url, "tool-call")
        first = asker.models.generate_content(model=model, contents="weather?", config=config)
        call = first.function_calls[0]
        assert (call.name, call.args) == ("weather", {"city": "text"})
        result = types.Part.from_function_response(name=call.name, response={"result": weather(**call.args)})
        history = [
            types.Content(role="user", parts=[types.Part(text="weather?")]),
            first.candidates[0].content,
            types.Content(role="user", parts=[result]),
        ]
        second = asker.models.generate_content(model=model, contents=history, config=config)
        assert second.text == "Thank you for the result of weather."


def automatic_functions(url: str) -> None:
    """automatic function calling runs a Python function and goes on"""
    config = types.GenerateContentConfig(tools=[weather])
    for model in (MODEL, GEMINI_3):
        answer = client(url, "tool-call").models.generate_content(
            model=model, contents="weather?", config=config
        )
        assert answer.text == "Thank you for the result of weather."
        assert len(answer.automatic_function_calling_history) == 3


def chat(url: str) -> None:
    """a chat keeps its history, sent and streamed"""
    talk = client(url).chats.create(model=MODEL)
    assert talk.send_message("one").text == "You said: one"
    assert "".join(chunk.text or "" for chunk in talk.send_message_stream("two")) == "You said: two"
    said = [(content.role, "".join(part.text for part in content.parts)) for content in talk.get_history()]
    assert said[:3] == [("user", "one"), ("model", "You said: one"), ("user", "two")], said
    assert "".join(text for _, text in said[3:]) == "You said: two"


def chat_with_functions(url: str) -> None:
    """a streamed chat calls a Python function and goes on, also with Gemini 3"""
    for model in (MODEL, GEMINI_3):
        config = types.GenerateContentConfig(tools=[weather])
        talk = client(url, "tool-call+thoughts").chats.create(model=model, config=config)
        text = "".join(chunk.text or "" for chunk in talk.send_message_stream("weather?"))
        assert text == "Thank you for the result of weather.", text


def thoughts(url: str) -> None:
    """thoughts are parts of their own and not in .text"""
    config = types.GenerateContentConfig(thinking_config=types.ThinkingConfig(include_thoughts=True))
    answer = client(url).models.generate_content(model=MODEL, contents="hello", config=config)
    assert any(part.thought for part in answer.candidates[0].content.parts)
    assert answer.text == "You said: hello"


def json_answers(url: str) -> None:
    """a response schema gives JSON that fits it"""
    config = types.GenerateContentConfig(
        response_mime_type="application/json",
        response_schema={"type": "OBJECT", "properties": {"city": {"type": "STRING"}}, "required": ["city"]},
    )
    answer = client(url).models.generate_content(model=MODEL, contents="hello", config=config)
    assert answer.parsed == {"city": "text"}, answer.parsed


def counting_and_models(url: str) -> None:
    """count_tokens, models.list and models.get"""
    asker = client(url)
    assert asker.models.count_tokens(model=MODEL, contents="x" * 400).total_tokens == 100
    names = [model.name for model in asker.models.list(config={"page_size": 3})]
    assert f"models/{MODEL}" in names
    assert asker.models.get(model=MODEL).name == f"models/{MODEL}"


def refusals(url: str) -> None:
    """errors arrive as the package's own, with code and message"""
    mixed = types.GenerateContentConfig(
        tools=[
            types.Tool(google_search=types.GoogleSearch()),
            types.Tool(function_declarations=[types.FunctionDeclaration(name="f")]),
        ]
    )
    cases: tuple[tuple[str, int, str, Any], ...] = (
        ("", 400, "all search tools", {"model": MODEL, "config": mixed}),
        ("", 404, "is not found for API version", {"model": "nothing"}),
        ("rate-limit", 429, "exhausted your capacity", {"model": MODEL}),
        ("overloaded", 503, "overloaded", {"model": MODEL}),
    )
    for scenario, code, words, asked in cases:
        asker = client(url, scenario)
        error = raised(partial(asker.models.generate_content, contents="hello", **asked))
        assert isinstance(error, errors.APIError), error
        assert error.code == code, error
        assert words in str(error), error


def cut_stream(url: str) -> None:
    """a stream that is cut is an error, not a short answer"""
    stream = client(url, "cut").models.generate_content_stream(model=MODEL, contents="hello there")
    # Which error it is depends on the HTTP library in use.
    assert isinstance(raised(partial(list, stream)), Exception)


def raised(call: Callable[[], Any]) -> Exception | None:
    """The exception a call raises, if any."""
    try:
        call()
    except Exception as error:  # noqa: BLE001  (the caller looks at it)
        return error
    return None


def on_vertex(url: str) -> None:
    """Vertex AI: whole, streamed, grounded, counted"""
    asker = vertex(url)
    assert asker.models.generate_content(model=MODEL, contents="hello").text == "You said: hello"
    chunks = asker.models.generate_content_stream(model=MODEL, contents="hello")
    assert "".join(chunk.text or "" for chunk in chunks) == "You said: hello"
    grounded = asker.models.generate_content(model=MODEL, contents="北京天气", config=SEARCH)
    assert grounded.candidates[0].grounding_metadata.grounding_chunks
    assert asker.models.count_tokens(model=MODEL, contents="x" * 400).total_tokens == 100


CHECKS: tuple[Callable[[str], Coroutine[Any, Any, None] | None], ...] = (
    unary,
    streaming,
    asynchronous,
    search,
    functions,
    automatic_functions,
    chat,
    chat_with_functions,
    thoughts,
    json_answers,
    counting_and_models,
    refusals,
    cut_stream,
    on_vertex,
)


def one_line(problem: Exception) -> str:
    """A problem in one line, so that one line stays one check."""
    return f"{type(problem).__name__}: {' '.join(str(problem).split())[:600]}"


def main() -> int:
    """Run every check; one line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--url", default=os.environ.get("EMULATOR_URL"), required="EMULATOR_URL" not in os.environ
    )
    url = parser.parse_args().url.rstrip("/")
    failed = 0
    for check in CHECKS:
        sentence = (check.__doc__ or "").splitlines()[0]
        try:
            result = check(url)
            if result is not None:
                asyncio.run(result)
        except Exception as error:  # noqa: BLE001  (a check may fail in any way; all are reported)
            failed += 1
            print(f"FAIL  {sentence} -- {one_line(error)}", flush=True)
        else:
            print(f"ok    {sentence}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
