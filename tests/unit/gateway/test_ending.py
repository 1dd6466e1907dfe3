"""Every answer that ends has a finish reason that every client knows."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from groundwire.errors import UnreadableAnswer
from groundwire.gateway.ending import KNOWN, Ending

TEXT = {"role": "model", "parts": [{"text": "x"}]}


def candidate(reason: str | None = None, *, content: bool = True, index: int | None = 0) -> dict[str, Any]:
    made: dict[str, Any] = {"content": TEXT} if content else {}
    if index is not None:
        made["index"] = index
    return made if reason is None else {**made, "finishReason": reason}


def passed(ending: Ending, *candidates: dict[str, Any], **more: Any) -> dict[str, Any]:
    document = ending.passed(msgspec.json.encode({"candidates": list(candidates), **more}))
    decoded: dict[str, Any] = msgspec.json.decode(document)
    return decoded


@pytest.mark.parametrize("reason", sorted(KNOWN))
def test_a_known_reason_stays_and_not_a_byte_changes(reason: str) -> None:
    ending = Ending()
    document = b'{ "candidates" : [ {"finishReason":"%b", "x": 1.0e2} ] }' % reason.encode()
    assert ending.passed(document) is document
    assert ending.missing() is None


@pytest.mark.parametrize(
    ("reason", "content", "becomes"),
    [
        ("OTHER", True, "STOP"),
        ("OTHER", False, "SAFETY"),
        ("INVENTED_TOMORROW", True, "STOP"),
        ("INVENTED_TOMORROW", False, "SAFETY"),
        ("UNEXPECTED_TOOL_CALL", False, "MALFORMED_FUNCTION_CALL"),
        ("LANGUAGE", False, "SAFETY"),
    ],
)
def test_an_unknown_reason_becomes_a_known_one_and_stays_readable(
    reason: str, content: bool, becomes: str
) -> None:
    ending = Ending()
    (found,) = passed(ending, candidate(reason, content=content))["candidates"]
    assert found["finishReason"] == becomes
    assert reason in found["finishMessage"]
    assert ending.missing() is None


@pytest.mark.parametrize("reason", ["", "FINISH_REASON_UNSPECIFIED", None])
def test_a_reason_that_says_nothing_is_none(reason: str | None) -> None:
    ending = Ending()
    (found,) = passed(ending, candidate(reason))["candidates"]
    assert "finishReason" not in found
    assert ending.missing() is not None


def test_content_of_earlier_events_counts() -> None:
    ending = Ending()
    passed(ending, candidate())
    (found,) = passed(ending, candidate("OTHER", content=False))["candidates"]
    assert found["finishReason"] == "STOP"


def test_every_candidate_is_ended() -> None:
    ending = Ending()
    passed(ending, candidate(), candidate(index=1), candidate(index=2))
    passed(ending, candidate("STOP", index=1))
    added = ending.missing()
    assert added is not None
    ends = msgspec.json.decode(added)["candidates"]
    assert [(end["index"], end["finishReason"]) for end in ends] == [(0, "STOP"), (2, "STOP")]


def test_what_follows_the_end_is_passed_on() -> None:
    ending = Ending()
    passed(ending, candidate("STOP"))
    assert passed(ending, usageMetadata={"totalTokenCount": 3})["usageMetadata"] == {"totalTokenCount": 3}
    assert ending.missing() is None


@pytest.mark.parametrize(
    ("blocked_by", "becomes"), [("SAFETY", "SAFETY"), ("BLOCKLIST", "BLOCKLIST"), ("OTHER", "SAFETY")]
)
def test_a_blocked_prompt_gets_a_candidate_that_says_so(blocked_by: str, becomes: str) -> None:
    ending = Ending()
    document = ending.passed(msgspec.json.encode({"promptFeedback": {"blockReason": blocked_by}}))
    assert msgspec.json.decode(document)["candidates"] == [{"finishReason": becomes, "index": 0}]
    assert ending.began
    assert ending.missing() is None


@pytest.mark.parametrize(
    "document", [b"{}", b'{"usageMetadata":{}}', b'{"candidates":[]}', b'{"candidates":null}']
)
def test_an_answer_without_a_candidate_has_not_begun(document: bytes) -> None:
    ending = Ending()
    assert ending.passed(document) == document
    assert not ending.began


@pytest.mark.parametrize(
    "document", [b"", b"x", b"[]", b'{"candidates":"x"}', b'{"candidates":[1]}', b'"', b"[" * 9000]
)
def test_what_is_no_answer_is_unreadable(document: bytes) -> None:
    with pytest.raises(UnreadableAnswer):
        Ending().passed(document)
