"""A session of the protocol without a wire: a message comes in, messages to send and calls to start come out.

    receive     a message of the client   -> Send, StartCall, CancelCall
    finished    a call gave its outcome   -> the response
    progressed  time went by              -> progress, for the calls whose client wants to hear of it
    abandoned   the connection ends       -> an answer for every call that still runs

Only tools are served. The session knows which requests are under way: each gets exactly one response, and one
that the client cancelled gets none, as the protocol asks. It is used by one thread at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

from groundwire.mcp.shapes import Message, Outcome, outcome_in, tool_in
from groundwire.mcp.versions import NEWEST_HANDSHAKE, STATELESS, agreed, has_annotations, has_batches

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
UNSUPPORTED_VERSION = -32022
CONNECTION_CLOSED = -32000

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
SERVER_KEY = "io.modelcontextprotocol/serverInfo"
FRESH_MILLISECONDS = 300_000
"""How long a stateless client may keep the list of tools, which never changes while a server runs."""

RequestId = str | int


class Send(NamedTuple):
    """A message for the client: an object, or an array of responses to a batch."""

    message: Message | list[Message]


class StartCall(NamedTuple):
    """A tool to run. `number` is ours: clients may use an id again."""

    number: int
    name: str
    arguments: object
    wants_progress: bool


class CancelCall(NamedTuple):
    """A call whose client no longer waits."""

    number: int


Step = Send | StartCall | CancelCall


class Refused(Exception):
    """A request that gets an error for an answer."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.error: Message = {"code": code, "message": message}
        if data is not None:
            self.error["data"] = data


class _Batch:
    """Responses that go out together, once the last one is there."""

    def __init__(self) -> None:
        self.waiting = 1
        """Calls under way; and one while the batch is still being read, so that it is not told too early."""
        self.responses: list[Message] = []


class _Running:
    """A call under way: what its response needs."""

    def __init__(self, request_id: RequestId, version: str, token: object, batch: _Batch | None) -> None:
        self.id = request_id
        self.version = version
        self.token = token
        self.batch = batch
        self.told = 0
        """How often its client was told that it still runs."""


class Session:
    """One client's session with a server of these tools."""

    def __init__(
        self, tools: Sequence[Mapping[str, Any]], *, name: str, version: str, instructions: str = ""
    ) -> None:
        self._tools = {tool["name"]: tool for tool in tools}
        self._server = {"name": name, "version": version}
        self._instructions = instructions
        self._version = NEWEST_HANDSHAKE
        self._running: dict[int, _Running] = {}
        self._numbers: dict[RequestId, int] = {}
        self._last_number = 0

    @property
    def idle(self) -> bool:
        """Whether no call is under way."""
        return not self._running

    # -- what the client says -----------------------------------------------------------------------

    def receive(self, message: object) -> list[Step]:
        """What follows from one message of the client."""
        if not isinstance(message, list):
            return self._received(message, None)
        if not has_batches(self._version):
            return [Send(_refusal(None, INVALID_REQUEST, "This version of the protocol has no batches."))]
        if not message:
            return [Send(_refusal(None, INVALID_REQUEST, "A batch cannot be empty."))]
        return self._received_batch(message)

    def unreadable(self, why: str) -> Send:
        """The answer to what is no JSON."""
        return Send(_refusal(None, PARSE_ERROR, why))

    def _received_batch(self, messages: list[object]) -> list[Step]:
        batch = _Batch()
        steps: list[Step] = []
        for one in messages:
            for step in self._received(one, batch):
                if isinstance(step, Send) and isinstance(step.message, dict):
                    batch.responses.append(step.message)
                else:  # among them the answers to an earlier batch, whose last call was cancelled here
                    steps.append(step)
        batch.waiting -= 1
        if batch.responses and not batch.waiting:
            steps.append(Send(batch.responses))
        return steps

    def _received(self, message: object, batch: _Batch | None) -> list[Step]:
        if not isinstance(message, dict):
            return [Send(_refusal(None, INVALID_REQUEST, "A message must be an object."))]
        if "method" not in message and ("result" in message or "error" in message):
            return []  # a response: we ask clients nothing, so it answers nothing
        is_request = "id" in message
        request_id = message.get("id")
        if is_request and not _is_id(request_id):
            return [Send(_refusal(None, INVALID_REQUEST, "An id must be a string or an integer."))]
        try:
            method, params = _checked(message)
            if not is_request:
                return self._noticed(method, params)
            assert _is_id(request_id), "checked above"
            return self._asked(request_id, method, params, batch)
        except Refused as refused:
            return [Send(_response(request_id, error=refused.error))] if is_request else []

    def _asked(self, request_id: RequestId, method: str, params: Message, batch: _Batch | None) -> list[Step]:
        if method == "initialize":
            return [Send(_response(request_id, result=self._initialized(params)))]
        version = self._version_of(params)
        if method == "tools/call":
            return [self._call(request_id, params, version, batch)]
        if method == "tools/list":
            answer = self._listed(params, version)
        elif method == "ping":
            answer = {}
        elif method == "server/discover" and version in STATELESS:
            answer = self._discovered()
        else:
            raise Refused(METHOD_NOT_FOUND, f"There is no method '{method}'; this server has only tools.")
        return [Send(_response(request_id, result=self._in_version(answer, version)))]

    def _noticed(self, method: str, params: Message) -> list[Step]:
        if method != "notifications/cancelled":
            return []  # initialized, too, is only noted: a client that never sends it is served all the same
        asked = params.get("requestId")
        number = self._numbers.get(asked) if _is_id(asked) else None
        if number is None:
            return []  # it has ended already, or never was
        batch = self._forget(number).batch
        steps: list[Step] = [CancelCall(number)]
        if batch is not None and not batch.waiting and batch.responses:
            steps.append(Send(batch.responses))
        return steps

    # -- requests -----------------------------------------------------------------------------------

    def _initialized(self, params: Message) -> Message:
        asked = params.get("protocolVersion")
        if not isinstance(asked, str):
            raise Refused(INVALID_PARAMS, "initialize needs the client's protocolVersion, as a string.")
        self._version = agreed(asked)
        answer: Message = {
            "protocolVersion": self._version,
            "capabilities": {"tools": {}},
            "serverInfo": self._server,
        }
        return answer | self._advice()

    def _discovered(self) -> Message:
        answer: Message = {
            "supportedVersions": list(STATELESS),
            "capabilities": {"tools": {}},
            "ttlMs": FRESH_MILLISECONDS,
            "cacheScope": "private",
        }
        return answer | self._advice()

    def _advice(self) -> Message:
        return {"instructions": self._instructions} if self._instructions else {}

    def _listed(self, params: Message, version: str) -> Message:
        if params.get("cursor") is not None:
            raise Refused(INVALID_PARAMS, "The list of tools has one page only; leave out the cursor.")
        answer: Message = {"tools": [tool_in(tool, version) for tool in self._tools.values()]}
        if version in STATELESS:
            answer |= {"ttlMs": FRESH_MILLISECONDS, "cacheScope": "private"}
        return answer

    def _call(self, request_id: RequestId, params: Message, version: str, batch: _Batch | None) -> StartCall:
        name = params.get("name")
        if not isinstance(name, str):
            raise Refused(INVALID_PARAMS, "tools/call needs the name of a tool, as a string.")
        if name not in self._tools:
            raise Refused(INVALID_PARAMS, f"Unknown tool: {name}. The tools are: {', '.join(self._tools)}.")
        if request_id in self._numbers:
            raise Refused(INVALID_REQUEST, "A request with this id is still under way.")
        token = _meta(params).get("progressToken")
        self._last_number += 1
        number = self._last_number
        self._running[number] = _Running(request_id, version, token if _is_id(token) else None, batch)
        self._numbers[request_id] = number
        if batch is not None:
            batch.waiting += 1
        arguments = params.get("arguments")
        return StartCall(number, name, {} if arguments is None else arguments, _is_id(token))

    def _version_of(self, params: Message) -> str:
        """The version of one request: its own, where it says one, else the session's."""
        meta = _meta(params)
        if VERSION_KEY not in meta:
            return self._version
        asked = meta[VERSION_KEY]
        if not isinstance(asked, str):
            raise Refused(INVALID_PARAMS, f"{VERSION_KEY} must be a string.")
        if asked not in STATELESS:
            data = {"supported": list(STATELESS), "requested": asked}
            raise Refused(UNSUPPORTED_VERSION, "Unsupported protocol version", data)
        if not isinstance(meta.get(CAPABILITIES_KEY), dict):
            raise Refused(INVALID_PARAMS, f"A request that says its version must say its {CAPABILITIES_KEY}.")
        return asked

    # -- calls --------------------------------------------------------------------------------------

    def finished(self, number: int, outcome: Outcome) -> list[Message | list[Message]]:
        """The response to a call; nothing for one that was cancelled."""
        if number not in self._running:
            return []
        version = self._running[number].version
        return self._answered(number, result=self._in_version(outcome_in(outcome, version), version))

    def broke(self, number: int, why: str) -> list[Message | list[Message]]:
        """The response to a call that ended in a way nobody foresaw."""
        return self._answered(number, error={"code": INTERNAL_ERROR, "message": why})

    def abandoned(self) -> list[Message | list[Message]]:
        """The responses to all calls that still run when the connection ends."""
        error = {"code": CONNECTION_CLOSED, "message": "The server was stopped before the call was done."}
        return [told for number in list(self._running) for told in self._answered(number, error=error)]

    def progressed(self) -> list[Message]:
        """A sign of life of each call whose client asked for that: it keeps the client's timer alive."""
        told = []
        for call in self._running.values():
            if call.token is not None:
                call.told += 1
                params = {"progressToken": call.token, "progress": call.told}
                if has_annotations(call.version):
                    params["message"] = "Still at work."
                told.append({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
        return told

    def _answered(
        self, number: int, *, result: Message | None = None, error: Message | None = None
    ) -> list[Message | list[Message]]:
        if number not in self._running:
            return []
        call = self._forget(number)
        response = _response(call.id, result=result, error=error)
        if call.batch is None:
            return [response]
        call.batch.responses.append(response)
        return [] if call.batch.waiting else [call.batch.responses]

    def _forget(self, number: int) -> _Running:
        call = self._running.pop(number)
        del self._numbers[call.id]
        if call.batch is not None:
            call.batch.waiting -= 1
        return call

    def _in_version(self, answer: Message, version: str) -> Message:
        if version not in STATELESS:
            return answer
        return {**answer, "resultType": "complete", "_meta": {SERVER_KEY: self._server}}


def _checked(message: Message) -> tuple[str, Message]:
    """The method and the parameters of a request or notification."""
    method = message.get("method")
    if message.get("jsonrpc") != "2.0" or not isinstance(method, str):
        raise Refused(INVALID_REQUEST, 'A message needs "jsonrpc": "2.0" and the name of a method.')
    params = message.get("params")
    if params is None:
        return method, {}
    if not isinstance(params, dict):
        raise Refused(INVALID_PARAMS, "The params must be an object.")
    return method, params


def _meta(params: Message) -> Message:
    meta = params.get("_meta")
    return meta if isinstance(meta, dict) else {}


def _is_id(value: object) -> TypeGuard[RequestId]:
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


def _response(request_id: object, *, result: Message | None = None, error: Message | None = None) -> Message:
    told = {"result": result} if error is None else {"error": error}
    return {"jsonrpc": "2.0", "id": request_id, **told}


def _refusal(request_id: object, code: int, message: str) -> Message:
    return _response(request_id, error={"code": code, "message": message})
