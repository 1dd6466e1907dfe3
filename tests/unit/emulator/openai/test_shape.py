"""Shapes of a stream and faults of the Codex backend, each by the name of its scenario."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from groundwire.emulator.openai.shape import FAILURES, SHAPES

PATH = "/backend-api/codex/responses"
Making = Callable[..., dict[str, Any]]
Reading = Callable[[bytes], list[dict[str, Any]]]
Playing = Callable[..., Any]


@pytest.fixture
def play(asking: Any, documents: Any, signed_in: dict[str, str], codex_request: Making) -> Playing:
    """Sends a search that plays a scenario; all of one test go to the same emulator."""
    ask = asking(corpus=documents)

    async def send(scenario: str, token: str | None = None) -> Any:
        headers = {**signed_in, **({"authorization": f"Bearer {token}"} if token else {})}
        return await ask("POST", PATH, codex_request(), headers={**headers, "x-emulator-scenario": scenario})

    return send


def types(events: list[dict[str, Any]]) -> set[str]:
    return {event["type"] for event in events}


def done_types(events: list[dict[str, Any]]) -> list[str]:
    return [e["item"]["type"] for e in events if e["type"] == "response.output_item.done"]


async def test_deltas_only_never_finishes_the_message(play: Playing, events_in: Reading) -> None:
    events = events_in((await play("deltas-only+style-native")).body)
    assert done_types(events) == ["web_search_call"]
    assert "response.output_text.delta" in types(events)
    assert events[-1]["type"] == "response.completed"


async def test_items_only_has_no_deltas(play: Playing, events_in: Reading) -> None:
    events = events_in((await play("items-only+style-native")).body)
    assert done_types(events) == ["web_search_call", "message"]
    assert "response.output_text.delta" not in types(events)


async def test_completed_only_puts_the_message_in_the_last_event(play: Playing, events_in: Reading) -> None:
    events = events_in((await play("completed-only+style-native")).body)
    assert done_types(events) == ["web_search_call"]
    assert events[-1]["response"]["output"][-1]["type"] == "message"


async def test_no_completed_ends_the_stream_properly_but_too_early(play: Playing, events_in: Reading) -> None:
    heard = await play("no-completed")
    assert heard.ended
    assert "response.completed" not in types(events_in(heard.body))


async def test_markers_are_split_over_deltas(play: Playing, events_in: Reading) -> None:
    deltas = [e["delta"] for e in events_in((await play("style-markers")).body) if "delta" in e]
    assert any("\ue200" in delta and "\ue201" not in delta for delta in deltas)
    assert "\ue200cite\ue202turn0search0\ue201" in "".join(deltas)


async def test_no_search_has_no_search_call(play: Playing, events_in: Reading) -> None:
    assert done_types(events_in((await play("style-no-search")).body)) == ["message"]


@pytest.mark.parametrize(
    ("name", "reason"), [("incomplete", "max_output_tokens"), ("incomplete-filtered", "content_filter")]
)
async def test_an_incomplete_answer_says_why(
    play: Playing, events_in: Reading, name: str, reason: str
) -> None:
    last = events_in((await play(name)).body)[-1]
    assert last["type"] == "response.incomplete"
    assert last["response"]["incomplete_details"] == {"reason": reason}


@pytest.mark.parametrize("code", FAILURES)
async def test_a_failed_response_carries_its_code(play: Playing, events_in: Reading, code: str) -> None:
    last = events_in((await play(f"failed-{code.replace('_', '-')}")).body)[-1]
    assert last["type"] == "response.failed"
    assert last["response"]["error"] == {"code": code, "message": FAILURES[code]}


async def test_an_error_event_is_bare(play: Playing, events_in: Reading) -> None:
    last = events_in((await play("error-event")).body)[-1]
    assert (last["type"], last["code"]) == ("error", "server_error")


async def test_noise_stands_between_the_events(play: Playing, events_in: Reading) -> None:
    heard = await play("stream-noise")
    assert b": keep-alive\n\n" in heard.body
    assert "codex.rate_limits" in types(events_in(heard.body))


async def test_the_last_event_can_have_another_name(play: Playing, events_in: Reading) -> None:
    assert events_in((await play("done-event")).body)[-1]["type"] == "response.done"


@pytest.mark.parametrize("name", SHAPES)
async def test_every_shape_is_a_scenario(play: Playing, name: str) -> None:
    assert (await play(name)).status == 200


async def test_the_usage_limit_says_when_it_resets(play: Playing) -> None:
    heard = await play("codex-usage-limit")
    assert heard.status == 429
    assert heard.json["error"]["type"] == "usage_limit_reached"
    assert heard.json["error"]["resets_at"] == 1_800_003_600
    assert heard.headers["x-codex-primary-used-percent"] == "100"
    assert heard.headers["x-codex-primary-reset-at"] == "1800003600"
    assert (await play("codex-usage-limit-404")).status == 404


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("codex-usage-not-included", 429),
        ("codex-rate-limited", 429),
        ("codex-token-expired", 401),
        ("codex-unauthorized", 401),
        ("codex-cloudflare", 403),
        ("codex-overloaded", 503),
        ("other-host", 307),
        ("html-error", 502),
    ],
)
async def test_faults_have_their_status(play: Playing, name: str, status: int) -> None:
    assert (await play(name)).status == status


@pytest.mark.parametrize("name", ["codex-401-then-ok", "codex-503-then-ok"])
async def test_a_passing_fault_passes_and_comes_back(play: Playing, name: str) -> None:
    statuses = [(await play(name)).status for _ in range(4)]
    assert statuses[1::2] == [200, 200]
    assert all(status >= 400 for status in statuses[::2])


async def test_only_another_token_ends_the_401_until_refresh(play: Playing) -> None:
    from groundwire.emulator.openai.tokens import Account, access_token

    assert (await play("codex-401-until-refresh")).status == 401
    assert (await play("codex-401-until-refresh")).status == 401
    fresh = access_token(Account(), "https://other.example", 1_800_000_000)
    assert (await play("codex-401-until-refresh", token=fresh)).status == 200


async def test_one_event_is_malformed_and_the_rest_is_not(play: Playing) -> None:
    heard = await play("malformed-event")
    assert b'data: {"type":\n\n' in heard.body
    assert b"response.completed" in heard.body


async def test_the_right_body_can_have_the_wrong_type(play: Playing) -> None:
    heard = await play("wrong-content-type")
    assert heard.headers["content-type"] == "text/plain"
    assert b"response.completed" in heard.body


async def test_a_huge_answer_is_thirty_megabytes_and_still_an_answer(play: Playing) -> None:
    heard = await play("huge-answer")
    assert len(heard.body) > 30 * 1024 * 1024
    assert heard.body.rstrip().endswith(b"}")


async def test_the_wire_faults_cut_and_delay_codex_too(play: Playing) -> None:
    assert not (await play("cut")).ended
    assert all(len(chunk) <= 1 for chunk in (await play("split-multibyte")).chunks)
