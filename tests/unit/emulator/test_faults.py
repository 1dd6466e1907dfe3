"""Faults on the wire: what a client sees of each."""

from __future__ import annotations

from typing import Any

import pytest

PATH = "/v1beta/models/gemini-2.5-flash:generateContent"
STREAM = "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
TOKEN = {"authorization": "Bearer ya29.mine"}


async def play(asking: Any, scenario: str, body: Any, path: str = PATH, **more: Any) -> Any:
    return await asking(scenario=scenario)("POST", path, body, **more)


async def test_a_cut_stream_ends_without_its_end(asking: Any, user: Any) -> None:
    heard = await play(asking, "cut", user("hello there"), STREAM)
    whole = await play(asking, "sse-lf", user("hello there"), STREAM)
    assert not heard.ended
    assert 0 < len(heard.body) < len(whole.body)


async def test_a_connection_can_end_after_the_headers(asking: Any, user: Any) -> None:
    heard = await play(asking, "cut-at-once", user("hello"), STREAM)
    assert (heard.status, heard.body, heard.ended) == (200, b"", False)


async def test_characters_are_split_between_chunks(asking: Any, user: Any) -> None:
    heard = await play(asking, "split-multibyte", user("北京🌤"), STREAM)
    assert {len(chunk) for chunk in heard.chunks} == {0, 1}
    assert "北京🌤" in "".join(e["candidates"][0]["content"]["parts"][0]["text"] for e in heard.events)


async def test_a_slow_drip_waits_before_each_piece(asking: Any, user: Any) -> None:
    ask = asking(scenario="slow-drip")
    heard = await ask("POST", PATH, user("hello"))
    assert heard.json["candidates"]
    assert len(ask.waits) == len(heard.chunks) - 1
    assert set(ask.waits) == {0.02}


async def test_a_proxy_may_answer_in_html(asking: Any, user: Any) -> None:
    heard = await play(asking, "html-error", user("hello"))
    assert heard.status == 502
    assert heard.headers["content-type"].startswith("text/html")


@pytest.mark.parametrize(
    ("scenario", "reason", "retry"),
    [
        ("rate-limit", "RATE_LIMIT_EXCEEDED", "1s"),
        ("rate-limit-bare", "RATE_LIMIT_EXCEEDED", None),
        ("quota", "QUOTA_EXHAUSTED", "33740.910400305s"),
        ("capacity", "MODEL_CAPACITY_EXHAUSTED", None),
        ("plain-429", None, None),
    ],
)
async def test_exhaustion_comes_in_five_forms(
    asking: Any, user: Any, scenario: str, reason: str | None, retry: str | None
) -> None:
    heard = await play(asking, scenario, user("hello"))
    assert (heard.status, heard.json["error"]["status"]) == (429, "RESOURCE_EXHAUSTED")
    details = heard.json["error"].get("details", [])
    assert [d["reason"] for d in details if "reason" in d] == ([reason] if reason else [])
    assert [d["retryDelay"] for d in details if "retryDelay" in d] == ([retry] if retry else [])


async def test_a_limit_can_pass(asking: Any, user: Any) -> None:
    ask = asking(scenario="rate-limit-once")
    assert [(await ask("POST", PATH, user("x"))).status for _ in range(3)] == [429, 200, 200]


async def test_a_refreshed_token_is_accepted_where_the_first_was_not(asking: Any, user: Any) -> None:
    ask = asking(scenario="unauthorized-once")
    body = {"model": "gemini-2.5-flash", "project": "p", "request": user("x")}

    async def status(token: str) -> int:
        headers = {"authorization": f"Bearer {token}"}
        heard = await ask("POST", "/v1internal:generateContent", body, headers=headers)
        assert isinstance(heard.status, int)
        return heard.status

    assert [await status("ya29.old"), await status("ya29.old"), await status("ya29.new")] == [401, 401, 200]


@pytest.mark.parametrize(
    ("scenario", "reason"),
    [
        ("validation-403", "VALIDATION_REQUIRED"),
        ("service-disabled", "SERVICE_DISABLED"),
        ("terms-violated", "TOS_VIOLATION"),
    ],
)
async def test_permissions_are_refused_with_their_reason(
    asking: Any, user: Any, scenario: str, reason: str
) -> None:
    heard = await play(asking, scenario, user("hello"))
    assert heard.status == 403
    assert heard.json["error"]["details"][0]["reason"] == reason


async def test_an_error_can_be_wrapped_in_an_array(asking: Any, user: Any) -> None:
    heard = await play(asking, "array-error", user("x"), STREAM)
    assert heard.status == 429
    assert heard.json[0]["error"]["code"] == 429


async def test_an_error_can_be_typed_as_events(asking: Any, user: Any) -> None:
    heard = await play(asking, "event-typed-error", user("x"), STREAM)
    assert heard.headers["content-type"] == "text/event-stream"
    assert heard.json["error"]["code"] == 403


@pytest.mark.parametrize(
    ("scenario", "sign"),
    [
        ("sse-lf", b"}\n\ndata: {"),
        ("sse-multi-line", b'data: {\r\ndata:   "candidates"'),
        ("sse-no-space", b'data:{"candidates"'),
        ("sse-done", b"data: [DONE]\r\n\r\n"),
        ("sse-comments", b": keep-alive\r\n\r\ndata: {"),
    ],
)
async def test_events_come_in_other_framings(asking: Any, user: Any, scenario: str, sign: bytes) -> None:
    heard = await play(asking, scenario, user("hello there"), STREAM)
    assert sign in heard.body


async def test_the_last_blank_line_can_be_missing(asking: Any, user: Any) -> None:
    heard = await play(asking, "sse-no-last-blank", user("hello there"), STREAM)
    assert heard.body.endswith(b"}\r\n")
    assert not heard.body.endswith(b"\r\n\r\n")


async def test_an_error_can_come_in_the_middle_of_a_stream(asking: Any, user: Any) -> None:
    heard = await play(asking, "error-mid-stream", user("hello there"), STREAM)
    assert [next(iter(event)) for event in heard.events] == ["candidates", "error"]


async def test_the_finish_reason_can_be_missing(asking: Any, user: Any) -> None:
    heard = await play(asking, "no-finish-reason", user("hello there"), STREAM)
    assert not any("finishReason" in event["candidates"][0] for event in heard.events)


@pytest.mark.parametrize(("scenario", "reason"), [("max-tokens", "MAX_TOKENS"), ("safety", "SAFETY")])
async def test_an_answer_can_end_for_another_reason(
    asking: Any, user: Any, scenario: str, reason: str
) -> None:
    assert (await play(asking, scenario, user("hello"))).json["candidates"][0]["finishReason"] == reason


async def test_functions_are_called_one_or_several_at_a_time(asking: Any, user: Any) -> None:
    tools = [{"functionDeclarations": [{"name": "a"}, {"name": "b"}]}]
    one = await play(asking, "tool-call", user("x", tools=tools))
    assert [p["functionCall"]["name"] for p in one.json["candidates"][0]["content"]["parts"]] == ["a"]
    both = await play(asking, "parallel-calls", user("x", tools=tools))
    assert [p["functionCall"]["name"] for p in both.json["candidates"][0]["content"]["parts"]] == ["a", "b"]


async def test_faults_of_generation_leave_sign_in_alone(asking: Any) -> None:
    heard = await asking(scenario="quota")("POST", "/tokeninfo", form={}, headers=TOKEN)
    assert heard.status == 200
