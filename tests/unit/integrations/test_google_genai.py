"""google-genai with a Google sign-in: every kind of call, over both HTTP libraries, against the emulator."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, contextmanager
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any

import httpx
import httpx2
import pytest
from google.genai import Client, errors, types

from groundwire.emulator import Emulator
from groundwire.errors import MissingPackage, UnreadableAnswer
from groundwire.integrations.google_genai import (
    SharedSignIn,
    async_code_assist_transport,
    code_assist_client,
    code_assist_transport,
    static_sign_in,
)
from groundwire.integrations.google_genai.client import http_library
from groundwire.integrations.google_genai.transports import proxy_for
from groundwire.secret import Secret
from groundwire.transport.auth import Headers

MODEL = "gemini-2.5-flash"
LIBRARIES = pytest.mark.parametrize("library", [httpx, httpx2], ids=["httpx", "httpx2"])


@contextmanager
def served(scenario: str | None = None) -> Iterator[Emulator]:
    """An emulator on loopback, on an event loop of its own: the one under test may block."""
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever)
    thread.start()
    emulator = Emulator(scenario=scenario)
    try:
        asyncio.run_coroutine_threadsafe(emulator.__aenter__(), loop).result(20)
        yield emulator
        asyncio.run_coroutine_threadsafe(emulator.__aexit__(None, None, None), loop).result(20)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(20)
        loop.close()


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    with served() as running:
        yield running


@pytest.fixture
def client(emulator: Emulator, library: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    monkeypatch.setenv("GOOGLE_GENAI_HTTP_CLIENT", library.__name__)
    made = code_assist_client(static_sign_in("ya29.mine", "my-project", base_url=emulator.base_url))
    yield made
    made.close()


@LIBRARIES
def test_threads_generate_stream_and_count(client: Client, emulator: Emulator) -> None:
    assert client.models.generate_content(model=MODEL, contents="hi").text == "You said: hi"
    sent = emulator.requests[-1]
    assert sent.path == "/v1internal:generateContent"
    assert sent.json["project"] == "my-project"
    assert sent.headers["user-agent"].startswith("groundwire/")
    assert "x-goog-api-key" not in sent.headers
    pieces = [event.text for event in client.models.generate_content_stream(model=MODEL, contents="hi you")]
    assert len(pieces) > 1
    assert "".join(map(str, pieces)) == "You said: hi you"
    assert client.models.count_tokens(model=MODEL, contents="x" * 40).total_tokens == 10


@LIBRARIES
async def test_event_loops_generate_and_stream(client: Client) -> None:
    answer = await client.aio.models.generate_content(model=MODEL, contents="hi")
    assert answer.text == "You said: hi"
    events = await client.aio.models.generate_content_stream(model=MODEL, contents="hi you")
    assert "".join([str(event.text) async for event in events]) == "You said: hi you"
    await client.aio.aclose()


@LIBRARIES
def test_characters_that_end_a_line_for_some_readers_arrive(client: Client) -> None:
    said = "a\u2028b\u2029c\u0085d"
    events = client.models.generate_content_stream(model=MODEL, contents=said)
    assert "".join(str(event.text) for event in events) == f"You said: {said}"


def weather(city: str) -> str:
    """The weather in a city."""
    return f"sunny in {city}"


@LIBRARIES
def test_functions_are_called(client: Client) -> None:
    config = types.GenerateContentConfig(tools=[weather])
    prompt = "[[scenario:tool-call]] weather?"
    answer = client.models.generate_content(model="gemini-3-pro-preview", contents=prompt, config=config)
    assert answer.text == "Thank you for the result of weather."


@LIBRARIES
@pytest.mark.parametrize(
    "scenario", ["sse-multi-line", "sse-no-space", "sse-done", "sse-comments", "sse-no-last-blank"]
)
def test_streams_that_break_google_genai_itself_are_mended(client: Client, scenario: str) -> None:
    events = client.models.generate_content_stream(model=MODEL, contents=f"[[scenario:{scenario}]] hi")
    assert "".join(str(event.text) for event in events) == "You said: hi"


@LIBRARIES
@pytest.mark.parametrize(
    ("scenario", "code"), [("plain-429", 429), ("array-error", 429), ("event-typed-error", 403)]
)
async def test_errors_are_the_librarys_own(client: Client, scenario: str, code: int) -> None:
    prompt = f"[[scenario:{scenario}]] hi"
    with pytest.raises(errors.APIError) as whole:
        client.models.generate_content(model=MODEL, contents=prompt)
    with pytest.raises(errors.APIError) as streamed:
        list(client.models.generate_content_stream(model=MODEL, contents=prompt))
    with pytest.raises(errors.APIError) as waited:
        await client.aio.models.generate_content(model=MODEL, contents=prompt)
    assert {whole.value.code, streamed.value.code, waited.value.code} == {code}
    await client.aio.aclose()


@LIBRARIES
def test_what_code_assist_does_not_have_is_told(client: Client, emulator: Emulator) -> None:
    before = len(emulator.requests)
    with pytest.raises(errors.ServerError, match="GET /v1/files is not available through Code Assist"):
        list(client.files.list())
    with pytest.raises(errors.ServerError, match="not available"):
        client.models.embed_content(model="m", contents="x")
    assert len(emulator.requests) == before


@LIBRARIES
async def test_the_models_are_those_that_code_assist_has_a_quota_for(
    client: Client, emulator: Emulator
) -> None:
    before = len(emulator.requests)
    assert f"models/{MODEL}" in [model.name for model in client.models.list(config={"page_size": 2})]
    assert f"models/{MODEL}" in [model.name async for model in await client.aio.models.list()]
    assert "generateContent" in (client.models.get(model=MODEL).supported_actions or [])
    with pytest.raises(errors.ClientError, match="not among the models that Code Assist") as missing:
        await client.aio.models.get(model="no-such-model")
    assert missing.value.code == 404
    asked = emulator.requests[before:]
    assert [call.path for call in asked] == ["/v1internal:retrieveUserQuota"] * 4
    assert all(call.json["project"] for call in asked)
    await client.aio.aclose()


@LIBRARIES
def test_options_of_the_caller_are_kept(
    emulator: Emulator, library: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_GENAI_HTTP_CLIENT", library.__name__)
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")  # the choice was made by calling us
    who = static_sign_in("ya29.mine", "p", base_url=emulator.base_url)
    options = types.HttpOptions(headers={"x-mine": "1"}, timeout=5000)
    with code_assist_client(who, http_options=options) as client:
        client.models.generate_content(model=MODEL, contents="hi")
    assert emulator.requests[-1].headers["x-mine"] == "1"
    assert options.base_url is None


@LIBRARIES
async def test_an_ended_sign_in_is_renewed_once_for_all_threads_and_loops(
    library: ModuleType, scrubbed_environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = {"type": "oauth", "access": "ya29.old", "refresh": "1//mine", "expires": 1000}
    store = scrubbed_environment / ".local/share/groundwire/credentials.json"
    store.parent.mkdir(parents=True)
    store.write_text(json.dumps({"google": record}), encoding="utf-8")
    with served() as emulator:
        addresses = {name: value for name, value in emulator.env().items() if "_KEY" not in name}
        secret = {"GROUNDWIRE_GOOGLE_CLIENT_SECRET": "emulator", "GOOGLE_CLOUD_PROJECT": "my-project"}
        for name, value in {**addresses, **secret, "GOOGLE_GENAI_HTTP_CLIENT": library.__name__}.items():
            monkeypatch.setenv(name, value)
        with code_assist_client() as client:
            ask, aio = client.models.generate_content, client.aio.models
            answers = await asyncio.gather(
                *(asyncio.to_thread(ask, model=MODEL, contents="hi") for _ in range(4)),
                *(aio.generate_content(model=MODEL, contents="hi") for _ in range(4)),
            )
            await client.aio.aclose()
        assert [answer.text for answer in answers] == ["You said: hi"] * 8
        paths = [call.path for call in emulator.requests]
        assert (paths.count("/token"), paths.count("/v1internal:loadCodeAssist")) == (1, 1)
    assert json.loads(store.read_text(encoding="utf-8"))["google"]["access"] != "ya29.old"


class Renewable:
    """A sign-in whose first token is refused."""

    def __init__(self) -> None:
        self.token = "ya29.invalid"
        self.renewals = 0

    async def headers(self) -> Headers:
        return {"Authorization": Secret(f"Bearer {self.token}")}

    async def renew(self, refused: Headers) -> bool:
        self.renewals += 1
        self.token = "ya29.fresh"
        return True


async def a_project() -> str:
    return "p"


def body(text: str = "hi") -> dict[str, Any]:
    return {"contents": [{"role": "user", "parts": [{"text": text}]}]}


ADDRESS = f"https://gemini.example/v1beta/models/{MODEL}"


@LIBRARIES
async def test_a_refused_token_is_renewed_once(library: Any, emulator: Emulator) -> None:
    waiting, looping = Renewable(), Renewable()
    with library.Client(
        transport=code_assist_transport(library, SharedSignIn(waiting, a_project, base_url=emulator.base_url))
    ) as client:
        assert client.post(f"{ADDRESS}:generateContent", json=body()).status_code == 200
    who = SharedSignIn(looping, a_project, base_url=emulator.base_url)
    async with library.AsyncClient(transport=async_code_assist_transport(library, who)) as aclient:
        assert (await aclient.post(f"{ADDRESS}:generateContent", json=body())).status_code == 200
    assert (waiting.renewals, looping.renewals) == (1, 1)


def scripted(library: Any, answer: Callable[[Any], Any]) -> tuple[Any, Any]:
    """Both clients of a library over a transport that answers by itself."""
    who = static_sign_in("t", "p", base_url="https://code-assist.example")
    inner = library.MockTransport(answer)
    return (
        library.Client(transport=code_assist_transport(library, who, inner)),
        library.AsyncClient(transport=async_code_assist_transport(library, who, inner)),
    )


@LIBRARIES
async def test_responses_are_plain_and_of_the_same_library(library: Any) -> None:
    import gzip

    packed = gzip.compress(json.dumps({"response": {"a": 1}, "traceId": "t"}).encode())

    def answer(request: Any) -> Any:
        assert "accept-encoding" not in request.headers
        return library.Response(
            200, headers={"content-encoding": "gzip", "x-trace": "1"}, content=packed, request=request
        )

    client, aclient = scripted(library, answer)
    for response in (
        client.post(f"{ADDRESS}:generateContent", json=body()),
        await aclient.post(f"{ADDRESS}:generateContent", json=body()),
    ):
        assert type(response) is library.Response
        assert response.json() == {"a": 1, "responseId": "t"}
        assert response.headers["x-trace"] == "1"
        assert "content-encoding" not in response.headers
    client.close()
    await aclient.aclose()


ERROR = b'data: {"error":{"code":503,"message":"busy"}}\n\n'


@LIBRARIES
async def test_a_stream_that_begins_with_an_error_is_that_error(library: Any) -> None:
    client, aclient = scripted(library, lambda request: library.Response(200, content=b": hm\n" + ERROR))
    url = f"{ADDRESS}:streamGenerateContent?alt=sse"
    for response in (client.post(url, json=body()), await aclient.post(url, json=body())):
        assert response.status_code == 503
        assert response.json()["error"]["message"] == "busy"
    client.close()
    await aclient.aclose()


@LIBRARIES
async def test_a_stream_is_handed_on_while_it_arrives_and_let_go_when_it_is_left(library: Any) -> None:
    closed: list[str] = []

    class Endless(library.SyncByteStream, library.AsyncByteStream):  # type: ignore[misc]
        def __iter__(self) -> Iterator[bytes]:
            while True:
                yield b'data: {"response":{"n":1}}\r\n\r\n'

        async def __aiter__(self) -> AsyncIterator[bytes]:
            while True:
                yield b'data: {"response":{"n":1}}\r\n\r\n'

        def close(self) -> None:
            closed.append("thread")

        async def aclose(self) -> None:
            closed.append("loop")

    client, aclient = scripted(library, lambda request: library.Response(200, stream=Endless()))
    url = f"{ADDRESS}:streamGenerateContent?alt=sse"
    with client.stream("POST", url, json=body()) as response:
        assert next(response.iter_raw()) == b'data: {"n":1}\n\n'
    async with aclient.stream("POST", url, json=body()) as response, aclosing(response.aiter_raw()) as raw:
        assert await anext(raw) == b'data: {"n":1}\n\n'
    assert closed == ["thread", "loop"]
    client.close()
    await aclient.aclose()


@LIBRARIES
async def test_what_is_not_json_is_refused_before_and_after(library: Any) -> None:
    client, aclient = scripted(library, lambda request: library.Response(200, content=b"<html>"))
    url = f"{ADDRESS}:generateContent"
    assert client.post(url, content=b"[]").status_code == 400
    assert (await aclient.post(url, content=b"[]")).json()["error"]["status"] == "INVALID_ARGUMENT"
    assert (await aclient.get(url)).status_code == 501
    with pytest.raises(UnreadableAnswer):
        client.post(url, json=body())
    with pytest.raises(UnreadableAnswer):
        await aclient.post(url, json=body())
    client.close()
    await aclient.aclose()


def test_the_library_is_the_one_that_google_genai_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    assert http_library() is httpx2
    monkeypatch.setattr("groundwire.integrations.google_genai.client.version", lambda name: "2.34.0")
    assert http_library() is httpx


def test_a_proxy_is_used_where_the_environment_names_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:1")
    monkeypatch.setenv("NO_PROXY", "inside.example")
    assert proxy_for("https://cloudcode-pa.googleapis.com") == "http://proxy.example:1"
    assert proxy_for("https://x.inside.example") is None
    assert proxy_for("https://127.0.0.1:9") is None
    monkeypatch.delenv("HTTPS_PROXY")
    monkeypatch.delenv("ALL_PROXY")
    assert proxy_for("https://cloudcode-pa.googleapis.com") is None


def test_a_library_that_is_not_there_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "google.genai", None)
    with pytest.raises(MissingPackage, match=r"pip install 'groundwire\[google-genai\]'"):
        code_assist_client(static_sign_in("t", "p"))
