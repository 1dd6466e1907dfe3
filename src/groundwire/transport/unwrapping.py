"""Code Assist's answers as the Gemini API gives them: the envelope taken off, without I/O.

    {"response": {…}, "traceId": "T"}        {…, "responseId": "T"} (its own responseId, when it has one)
    an event stream of such                  one event for each, in the plainest form
    [{"error": …}], or an event with it      {"error": …}
    {"totalTokens": 3}, or anything else     the same

Whole documents are never built in memory: JSON is checked and cut as bytes.
"""

from __future__ import annotations

import re

import msgspec
from msgspec import UNSET, Raw, UnsetType

from groundwire.errors import BodyTooLarge, UnreadableAnswer
from groundwire.transport.base import MAX_BODY_BYTES
from groundwire.transport.sse import RawEvent, RawEventParser

_BLANK = b" \t\r\n"
_EMPTY = re.compile(rb"\{\s*\}")
_BOM = b"\xef\xbb\xbf"


class _Envelope(msgspec.Struct):
    response: Raw | UnsetType = UNSET
    trace_id: Raw | UnsetType = msgspec.field(name="traceId", default=UNSET)


class _Identified(msgspec.Struct):
    identity: Raw | UnsetType = msgspec.field(name="responseId", default=UNSET)


class _Error(msgspec.Struct):
    code: int = 500


class _Failed(msgspec.Struct):
    error: Raw | UnsetType = UNSET


_envelope = msgspec.json.Decoder(_Envelope)
_identified = msgspec.json.Decoder(_Identified)
_failed = msgspec.json.Decoder(_Failed)
_error = msgspec.json.Decoder(_Error)
_documents = msgspec.json.Decoder(list[Raw])


def unwrapped(body: bytes) -> bytes:
    """A whole answer without its envelope, or the array of answers that a stream without events is.

    Raises UnreadableAnswer when it is not JSON.
    """
    start = body.lstrip(_BLANK)[:1]
    if start == b"[":
        return b"[" + b",".join(_without_envelope(one) for one in _elements(body)) + b"]"
    return _without_envelope(body)


class EventUnwrapper:
    """Feed it the bytes of a stream as they come; it gives back whole JSON documents, unwrapped.

    A stream that turns out to be one JSON document or an array (what the content says counts, not its type)
    gives its documents at the end. `[DONE]` and events without data are left out. What the connection's
    end cuts in half says nothing; anything else that is not JSON raises UnreadableAnswer.
    """

    def __init__(self, limit: int = MAX_BODY_BYTES) -> None:
        self._events = RawEventParser(limit)
        self._limit = limit
        self._start: bytes | None = b""
        self._whole: bytearray | None = None

    def feed(self, chunk: bytes) -> list[bytes]:
        """The documents that `chunk` completes, in order."""
        if self._start is None and self._whole is None:
            return _payloads(self._events.feed(chunk))
        if self._start is not None:
            chunk = self._sense(chunk)
        if self._whole is not None:
            self._whole += chunk
            if len(self._whole) > self._limit:
                raise BodyTooLarge(f"The answer is larger than {self._limit // (1024 * 1024)} MB.")
            return []
        return _payloads(self._events.feed(chunk)) if chunk else []

    def close(self) -> list[bytes]:
        """What the end of the stream completes."""
        if self._whole is not None:
            return _whole_documents(bytes(self._whole))
        left, self._start = self._start or b"", None
        events = [*self._events.feed(left), *self._events.close()]
        return _payloads([event for event in events if _is_json(event.data)])

    def _sense(self, chunk: bytes) -> bytes:
        """The bytes so far, once they show what kind of stream this is; nothing before that."""
        assert self._start is not None
        received = self._start + chunk
        visible = received.removeprefix(_BOM).lstrip(_BLANK)
        if not visible or _BOM.startswith(received):
            # White space says nothing, and megabytes of it would be looked through again with each chunk.
            self._start = received if _BOM.startswith(received) else b""
            return b""
        self._start = None
        if visible[:1] in (b"{", b"["):
            self._whole = bytearray()
        return received


def error_in(document: bytes) -> int | None:
    """The status in a document that is `{"error": …}` or `[{"error": …}]`; None when it is no error."""
    if b'"error"' not in document:
        return None
    try:
        error = _failed.decode(_first(document)).error
    except (msgspec.DecodeError, RecursionError):
        return None
    if error is UNSET or bytes(error) == b"null":
        return None
    try:
        code = _error.decode(error).code
    except msgspec.DecodeError:
        return 500
    return code if 400 <= code <= 599 else 500


def plain_error(body: bytes) -> bytes:
    """The body of an error status as `{"error": …}`, also out of an array or an event stream.

    A body of any other kind is given back as it is: a proxy's page must stay readable.
    """
    if error_in(body) is not None:
        return _first(body)
    events = RawEventParser()
    for event in (*events.feed(body), *events.close()):
        if error_in(event.data) is not None:
            return _first(event.data)
    return body


def _first(document: bytes) -> bytes:
    if not document.lstrip(_BLANK).startswith(b"["):
        return document
    elements = _documents.decode(document)
    return bytes(elements[0]) if elements else b"{}"


def _payloads(events: list[RawEvent]) -> list[bytes]:
    found: list[bytes] = []
    for _, data in events:
        if data.startswith(b"{"):
            found.append(_without_envelope(data))
        else:
            found += _oddly_put(data.strip(_BLANK))
    return found


def _oddly_put(document: bytes) -> list[bytes]:
    """The documents in data that does not begin with one."""
    if not document or document == b"[DONE]":
        return []
    if document.startswith(b"["):
        return [_without_envelope(one) for one in _elements(document)]
    return [_without_envelope(document)]


def _whole_documents(body: bytes) -> list[bytes]:
    document = body.removeprefix(_BOM).strip(_BLANK)
    if not _is_json(document):  # cut in half
        return []
    return _oddly_put(document)


def _is_json(document: bytes) -> bool:
    try:
        msgspec.json.decode(document, type=Raw)
    except (msgspec.DecodeError, RecursionError):
        return document.strip(_BLANK) == b"[DONE]"
    return True


def _elements(body: bytes) -> list[bytes]:
    try:
        return [bytes(one) for one in _documents.decode(body)]
    except (msgspec.DecodeError, RecursionError) as error:
        raise _unreadable(body) from error


def _without_envelope(document: bytes) -> bytes:
    try:
        envelope = _envelope.decode(document)
    except (msgspec.DecodeError, RecursionError) as error:
        raise _unreadable(document) from error
    if envelope.response is UNSET:
        return document
    response = bytes(envelope.response)
    if not response.startswith(b"{"):
        return b"{}" if response == b"null" else document
    if envelope.trace_id is UNSET or (trace := bytes(envelope.trace_id))[:1] != b'"':
        return response
    if b'"responseId"' in response and _identified.decode(response).identity is not UNSET:
        return response
    # Gemini CLI takes the trace for the response's id.
    joint = b'"responseId":' if _EMPTY.fullmatch(response) else b',"responseId":'
    return b"".join((response[:-1], joint, trace, b"}"))


def _unreadable(document: bytes) -> UnreadableAnswer:
    shown = document[:120].decode("utf-8", "replace")
    return UnreadableAnswer(f"The server sent something that is not JSON: {shown!r}", hint="Try again.")
