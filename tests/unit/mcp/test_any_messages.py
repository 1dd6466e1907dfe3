"""Whatever a client sends, in whatever order: nothing breaks, and each request gets exactly one response."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from groundwire.mcp.protocol import (
    CAPABILITIES_KEY,
    VERSION_KEY,
    Send,
    Session,
    StartCall,
)
from groundwire.mcp.shapes import Outcome
from groundwire.mcp.versions import HANDSHAKE, STATELESS

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
ids = st.integers(0, 6) | st.sampled_from(["0", "1", "x", ""])
versions = st.sampled_from([*HANDSHAKE, *STATELESS, "never"]) | anything
metas = st.fixed_dictionaries(
    {}, optional={"progressToken": ids | anything, VERSION_KEY: versions, CAPABILITIES_KEY: anything}
)
params = anything | st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(["echo", "other"]) | anything,
        "arguments": anything,
        "protocolVersion": versions,
        "requestId": ids | anything,
        "cursor": anything,
        "_meta": metas | anything,
    },
)
methods = st.sampled_from(
    ["initialize", "ping", "tools/list", "tools/call", "server/discover", "notifications/cancelled", "x"]
)
calls = st.fixed_dictionaries(
    {
        "jsonrpc": st.just("2.0"),
        "id": ids,
        "method": st.just("tools/call"),
        "params": st.fixed_dictionaries({"name": st.just("echo")}, optional={"_meta": metas}),
    }
)
loose = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | anything,
        "id": ids | anything,
        "method": methods | anything,
        "params": params,
        "result": anything,
    },
)
cancels = ids.map(
    lambda asked: {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": asked}}
)
batching = st.just(
    {"jsonrpc": "2.0", "id": "start", "method": "initialize", "params": {"protocolVersion": "2025-03-26"}}
)
one = calls | loose | cancels
messages = one | anything | batching | st.lists(one | anything, max_size=4)
events = st.lists(
    messages.map(lambda told: ("receive", told)) | st.tuples(st.just("finish"), st.integers(0, 3))
)


def requests_in(message: object, session: Session) -> list[str]:
    """The ids under which the sender can expect an answer."""
    if isinstance(message, list):
        has_batches = session.receive([{"jsonrpc": "2.0", "method": "notifications/nothing"}]) == []
        return [asked for one in message for asked in requests_in(one, session)] if has_batches else []
    if not isinstance(message, dict) or ("method" not in message and {"result", "error"} & set(message)):
        return []
    asked = message.get("id")
    return [json.dumps(asked)] if isinstance(asked, str | int) and not isinstance(asked, bool) else []


class Client:
    """Plays a client and whoever carries out calls, and counts requests and responses by their ids."""

    def __init__(self) -> None:
        self.session = Session([{"name": "echo", "inputSchema": {}}], name="s", version="1")
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.running: list[int] = []
        self.cancelled = 0

    def say(self, message: object) -> None:
        self.asked.update(requests_in(message, self.session))
        for step in self.session.receive(message):
            if isinstance(step, Send):
                self.hear(step.message)
            elif isinstance(step, StartCall):
                self.running.append(step.number)
            else:
                self.running.remove(step.number)
                self.cancelled += 1

    def finish(self, place: int) -> None:
        if self.running:
            number = self.running.pop(place % len(self.running))
            for message in self.session.finished(number, Outcome([{"type": "text", "text": "."}], {})):
                self.hear(message)

    def hear(self, message: Any) -> None:
        for one in message if isinstance(message, list) else [message]:
            assert ("result" in one) != ("error" in one)
            if one["id"] is not None:
                self.answered[json.dumps(one["id"])] += 1


@given(events)
def test_each_request_is_answered_exactly_once_unless_it_is_cancelled(story: list[tuple[str, Any]]) -> None:
    client = Client()
    for what, told in story:
        client.say(told) if what == "receive" else client.finish(told)
        json.dumps(client.session.progressed())
    for message in client.session.abandoned():
        client.hear(message)
    assert client.session.idle
    assert client.answered <= client.asked
    assert client.answered.total() == client.asked.total() - client.cancelled
