"""A session without a wire: what each message leads to."""

from __future__ import annotations

from typing import Any

import pytest

from groundwire.mcp.protocol import (
    CAPABILITIES_KEY,
    SERVER_KEY,
    VERSION_KEY,
    CancelCall,
    Send,
    Session,
    StartCall,
)
from groundwire.mcp.shapes import Outcome
from groundwire.mcp.versions import HANDSHAKE, STATELESS

TOOL = {
    "name": "echo",
    "title": "Echo",
    "description": "Says it again.",
    "inputSchema": {"type": "object"},
    "outputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": True},
}
SAID = Outcome([{"type": "text", "text": "hi"}], {"said": "hi"})
ENVELOPE = {"_meta": {VERSION_KEY: "2026-07-28", CAPABILITIES_KEY: {}}}


def new_session(version: str | None = "2025-11-25") -> Session:
    session = Session([TOOL], name="groundwire", version="1.0", instructions="Be brief.")
    if version is not None:
        answer(session, "initialize", {"protocolVersion": version})
    return session


def request(method: str, params: object = None, request_id: object = 1) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return message if params is None else {**message, "params": params}


def notice(method: str, params: object = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def answer(session: Session, method: str, params: object = None) -> Any:
    """The one message that answers a request at once."""
    (step,) = session.receive(request(method, params))
    assert isinstance(step, Send)
    return step.message


def start(session: Session, request_id: object = 1, params: dict[str, Any] | None = None) -> StartCall:
    (step,) = session.receive(request("tools/call", {"name": "echo", **(params or {})}, request_id))
    assert isinstance(step, StartCall)
    return step


@pytest.mark.parametrize("version", HANDSHAKE)
def test_a_client_gets_the_version_it_asks_for_and_only_tools(version: str) -> None:
    told = answer(new_session(None), "initialize", {"protocolVersion": version})
    assert told["result"] == {
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "groundwire", "version": "1.0"},
        "instructions": "Be brief.",
    }


@pytest.mark.parametrize("version", ["1999-01-01", "2026-07-28", "zzz"])
def test_a_version_that_has_no_handshake_is_answered_with_the_newest_that_has(version: str) -> None:
    told = answer(new_session(None), "initialize", {"protocolVersion": version})
    assert told["result"]["protocolVersion"] == "2025-11-25"


def test_a_tool_is_told_with_what_the_version_knows() -> None:
    fields = {
        version: set(answer(new_session(version), "tools/list")["result"]["tools"][0])
        for version in HANDSHAKE
    }
    first = {"name", "description", "inputSchema"}
    assert fields["2024-11-05"] == first
    assert fields["2025-03-26"] == first | {"annotations"}
    assert fields["2025-06-18"] == fields["2025-11-25"] == set(TOOL)


@pytest.mark.parametrize(("version", "structured"), [("2025-03-26", False), ("2025-06-18", True)])
def test_a_result_is_structured_where_the_version_knows_it(version: str, structured: bool) -> None:
    session = new_session(version)
    (told,) = session.finished(start(session).number, SAID)
    assert isinstance(told, dict)
    assert told["result"]["content"] == [{"type": "text", "text": "hi"}]
    assert ("structuredContent" in told["result"]) == structured


@pytest.mark.parametrize(("version", "kind"), [("2024-11-05", "resource"), ("2025-03-26", "audio")])
def test_audio_is_a_resource_where_there_is_no_audio_yet(version: str, kind: str) -> None:
    session = new_session(version)
    sound = Outcome([{"type": "audio", "data": "AAAA", "mimeType": "audio/mp3"}])
    (told,) = session.finished(start(session).number, sound)
    assert isinstance(told, dict)
    assert told["result"]["content"][0]["type"] == kind


def test_a_client_that_never_says_initialized_is_served() -> None:
    session = new_session()
    assert "tools" in answer(session, "tools/list")["result"]
    assert start(session).name == "echo"


def test_a_client_that_never_initializes_is_served_in_the_newest_version() -> None:
    assert "outputSchema" in answer(new_session(None), "tools/list")["result"]["tools"][0]


def test_a_ping_is_answered() -> None:
    assert answer(new_session(), "ping") == {"jsonrpc": "2.0", "id": 1, "result": {}}


@pytest.mark.parametrize("method", ["resources/list", "prompts/list", "logging/setLevel", "x"])
def test_a_method_that_is_not_here_is_refused(method: str) -> None:
    assert answer(new_session(), method)["error"]["code"] == -32601


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("initialize", None),
        ("initialize", {"protocolVersion": 7}),
        ("tools/list", {"cursor": "2"}),
        ("tools/list", [1]),
        ("tools/call", {}),
        ("tools/call", {"name": 1}),
        ("tools/call", {"name": "nothing"}),
        ("tools/call", "echo"),
    ],
)
def test_wrong_parameters_are_refused(method: str, params: object) -> None:
    assert answer(new_session(), method, params)["error"]["code"] == -32602


def test_an_unknown_tool_is_told_which_tools_there_are() -> None:
    told = answer(new_session(), "tools/call", {"name": "nothing"})
    assert told["error"]["message"] == "Unknown tool: nothing. The tools are: echo."


@pytest.mark.parametrize(
    "message",
    [
        7,
        "x",
        None,
        {},
        {"id": 1},
        {"id": 1, "method": "ping"},
        {"jsonrpc": "1.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1, "method": 7},
        {"jsonrpc": "2.0", "id": None, "method": "ping"},
        {"jsonrpc": "2.0", "id": True, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1.5, "method": "ping"},
        {"jsonrpc": "2.0", "id": [], "method": "ping"},
        [],
        [{"jsonrpc": "2.0", "id": 1, "method": "ping"}],
    ],
)
def test_what_is_no_request_is_refused_or_passed_over(message: object) -> None:
    steps = new_session().receive(message)
    if message == {}:
        assert steps == []  # without an id it is a notification, and those get no answer
        return
    (step,) = steps
    assert isinstance(step, Send)
    assert isinstance(step.message, dict)
    assert step.message["error"]["code"] == -32600


@pytest.mark.parametrize("message", [{"jsonrpc": "2.0", "id": 9, "result": {}}, notice("x"), notice("y", [])])
def test_responses_and_unknown_notices_are_passed_over(message: object) -> None:
    assert new_session().receive(message) == []


def test_arguments_come_as_they_were_sent_and_nothing_means_none() -> None:
    session = new_session()
    assert start(session, 1, {"arguments": {"a": 1}}).arguments == {"a": 1}
    assert start(session, 2, {"arguments": ["odd"]}).arguments == ["odd"]
    assert start(session, 3).arguments == {}


def test_a_cancelled_call_is_stopped_and_gets_no_answer() -> None:
    session = new_session()
    call = start(session, "a")
    assert session.receive(notice("notifications/cancelled", {"requestId": "a"})) == [CancelCall(call.number)]
    assert session.finished(call.number, SAID) == []
    assert session.idle


@pytest.mark.parametrize("request_id", ["a", 2, True, None, {}, 1.0])
def test_cancelling_what_does_not_run_changes_nothing(request_id: object) -> None:
    session = new_session()
    start(session, 1)
    assert session.receive(notice("notifications/cancelled", {"requestId": request_id})) == []
    assert not session.idle


def test_an_id_may_be_used_again_when_its_request_has_ended() -> None:
    session = new_session()
    session.finished(start(session, 1).number, SAID)
    session.finished(start(session, 1).number, SAID)
    start(session, 1)
    assert answer(session, "tools/call", {"name": "echo"})["error"]["code"] == -32600


def test_progress_goes_to_those_who_want_it_and_grows() -> None:
    session = new_session()
    start(session, 1)
    assert session.progressed() == []
    call = start(session, 2, {"_meta": {"progressToken": "p"}})
    assert call.wants_progress
    counts = []
    for _ in range(3):
        (told,) = session.progressed()
        assert told["method"] == "notifications/progress"
        assert told["params"]["progressToken"] == "p"
        counts.append(told["params"]["progress"])
    assert counts == [1, 2, 3]
    session.finished(call.number, SAID)
    assert session.progressed() == []


def test_when_the_connection_ends_each_call_is_answered_once() -> None:
    session = new_session()
    calls = [start(session, number) for number in range(3)]
    session.finished(calls[0].number, SAID)
    told = session.abandoned()
    assert [message["id"] for message in told if isinstance(message, dict)] == [1, 2]
    assert session.abandoned() == []


def test_a_tool_that_broke_is_an_internal_error() -> None:
    session = new_session()
    (told,) = session.broke(start(session).number, "It broke.")
    assert isinstance(told, dict)
    assert told["error"] == {"code": -32603, "message": "It broke."}


class TestBatches:
    """Version 2025-03-26 had them, no other did."""

    @pytest.mark.parametrize("version", [version for version in HANDSHAKE if version != "2025-03-26"])
    def test_they_are_refused_elsewhere(self, version: str) -> None:
        told = new_session(version).receive([request("ping")])
        assert isinstance(told[0], Send)
        assert isinstance(told[0].message, dict)
        assert told[0].message["error"]["code"] == -32600

    def test_what_can_be_answered_at_once_is_answered_together(self) -> None:
        steps = new_session("2025-03-26").receive([request("ping", None, 1), 7, request("ping", None, "b")])
        (step,) = steps
        assert isinstance(step, Send)
        assert [one.get("id") for one in step.message] == [1, None, "b"]  # type: ignore[union-attr]

    def test_the_answer_waits_for_the_last_call(self) -> None:
        session = new_session("2025-03-26")
        call = {"name": "echo"}
        batch = [request("tools/call", call, 1), request("ping", None, 2), request("tools/call", call, 3)]
        first, second = session.receive(batch)
        assert isinstance(first, StartCall)
        assert isinstance(second, StartCall)
        assert session.finished(second.number, SAID) == []
        (told,) = session.finished(first.number, SAID)
        assert [one["id"] for one in told] == [2, 3, 1]  # type: ignore[index]

    def test_a_cancelled_call_is_not_waited_for(self) -> None:
        session = new_session("2025-03-26")
        (call,) = session.receive([request("ping", None, 1), request("tools/call", {"name": "echo"}, 2)])
        assert isinstance(call, StartCall)
        stopped, sent = session.receive(notice("notifications/cancelled", {"requestId": 2}))
        assert stopped == CancelCall(call.number)
        assert isinstance(sent, Send)
        assert [one["id"] for one in sent.message] == [1]  # type: ignore[index]

    def test_a_call_cancelled_in_its_own_batch_leaves_the_other_answers(self) -> None:
        call, cancel = request("tools/call", {"name": "echo"}, 2), {"requestId": 2}
        batch = [request("ping", None, 1), call, notice("notifications/cancelled", cancel)]
        started, stopped, sent = new_session("2025-03-26").receive([*batch, request("ping", None, 3)])
        assert isinstance(started, StartCall)
        assert stopped == CancelCall(started.number)
        assert isinstance(sent, Send)
        assert [one["id"] for one in sent.message] == [1, 3]  # type: ignore[index]

    def test_a_call_cancelled_in_a_later_batch_sets_its_own_batch_free(self) -> None:
        session = new_session("2025-03-26")
        session.receive([request("ping", None, 1), request("tools/call", {"name": "echo"}, 2)])
        cancel = notice("notifications/cancelled", {"requestId": 2})
        _, first, second = session.receive([request("ping", None, 3), cancel])
        assert isinstance(first, Send)
        assert isinstance(second, Send)
        assert [[one["id"] for one in sent.message] for sent in (first, second)] == [[1], [3]]  # type: ignore[index]

    def test_notices_alone_get_no_answer(self) -> None:
        assert new_session("2025-03-26").receive([notice("notifications/initialized")]) == []


class TestWithoutHandshake:
    """Version 2026-07-28: every request says its version itself."""

    def test_a_client_discovers_the_server(self) -> None:
        result = answer(new_session(None), "server/discover", ENVELOPE)["result"]
        assert result["supportedVersions"] == list(STATELESS)
        assert result["capabilities"] == {"tools": {}}
        assert result["resultType"] == "complete"
        assert result["_meta"] == {SERVER_KEY: {"name": "groundwire", "version": "1.0"}}
        assert result["instructions"] == "Be brief."

    def test_a_list_says_how_long_it_may_be_kept(self) -> None:
        result = answer(new_session(None), "tools/list", ENVELOPE)["result"]
        assert result["tools"] == [TOOL]
        assert result["ttlMs"] > 0
        assert result["cacheScope"] == "private"

    def test_a_call_is_answered_in_the_version_of_its_request(self) -> None:
        session = new_session("2024-11-05")
        (told,) = session.finished(start(session, 1, ENVELOPE).number, SAID)
        assert isinstance(told, dict)
        assert told["result"]["resultType"] == "complete"
        assert told["result"]["structuredContent"] == {"said": "hi"}

    def test_a_version_nobody_knows_is_refused_with_those_we_know(self) -> None:
        meta = {"_meta": {VERSION_KEY: "2030-01-01", CAPABILITIES_KEY: {}}}
        error = answer(new_session(None), "tools/list", meta)["error"]
        assert error["code"] == -32022
        assert error["data"] == {"supported": ["2026-07-28"], "requested": "2030-01-01"}

    @pytest.mark.parametrize("meta", [{VERSION_KEY: 7}, {VERSION_KEY: "2026-07-28"}])
    def test_an_envelope_that_lacks_something_is_refused(self, meta: dict[str, Any]) -> None:
        assert answer(new_session(None), "tools/list", {"_meta": meta})["error"]["code"] == -32602

    def test_discovery_belongs_to_this_version_alone(self) -> None:
        assert answer(new_session(), "server/discover", {})["error"]["code"] == -32601
