"""Code Assist, the API behind Google sign-in, spoken by those who speak the Gemini API.

Plain functions translate one request; the layer `CodeAssist` translates every request that passes through
it, and the answers back (see `unwrapping`).

    POST /v1beta/models/M:generateContent         POST /v1internal:generateContent
    POST …:streamGenerateContent?alt=sse          POST /v1internal:streamGenerateContent?alt=sse
        {…}                                           {"model": "M", "project": "P", "user_prompt_id": "U",
                                                       "request": {…, "session_id": "S"}}
    POST …:countTokens                            POST /v1internal:countTokens
        {"contents": […]}                             {"request": {"model": "models/M", "contents": […]}}

    GET  /v1beta/models, /v1beta/models/M         POST /v1internal:retrieveUserQuota
                                                      {"project": "P"}; it is told model by model

Everything else (files, embeddings, caches) is not there: 501, and nothing is sent.
"""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from urllib.parse import urlsplit

import msgspec
from msgspec import Raw

from groundwire.errors import InvalidRequest
from groundwire.transport.base import Request, Response, Transport, whole
from groundwire.transport.gemini_body import counted, fields_of
from groundwire.transport.gemini_path import METHODS, ModelCall, ModelList, model_call, model_list
from groundwire.transport.model_list import answered, models_of_quota, quota_body, quota_url
from groundwire.transport.retry import in_memory
from groundwire.transport.sse import as_event
from groundwire.transport.translating import answer_headers, google_error, kept_headers, refusal, unavailable
from groundwire.transport.unwrapping import EventUnwrapper, error_in, plain_error, unwrapped

DEFAULT_BASE_URL = "https://cloudcode-pa.googleapis.com"
VERSION = "v1internal"

_encode = msgspec.json.Encoder().encode


def code_assist_url(call: ModelCall, base_url: str = DEFAULT_BASE_URL) -> str:
    """Where a call of a model goes. A key in the query of the old address does not come along."""
    return f"{base_url}/{VERSION}:{call.method}{'?alt=sse' if call.events else ''}"


def wrapped(call: ModelCall, body: bytes, *, project: str, prompt_id: str, session_id: str) -> bytes:
    """The body of a Gemini request in Code Assist's envelope. InvalidRequest when it is not an object."""
    try:
        request = fields_of(body)
        if call.method == "countTokens":
            return _encode({"request": _countable(request, call.model)})
    except (msgspec.DecodeError, RecursionError) as error:
        raise InvalidRequest(f"The body of the request is not what {call.method} takes: {error}.") from error
    request.pop("model", None)  # the Gemini API allows it, Code Assist wants it outside
    request["session_id"] = Raw(_encode(session_id))
    envelope = {"model": call.model, "project": project, "user_prompt_id": prompt_id, "request": request}
    return _encode(envelope)


def _countable(request: dict[str, Raw], model: str) -> dict[str, Raw]:
    """What Code Assist counts: contents and nothing else. System instructions are counted as one of them."""
    request = counted(request)
    contents = request.get("contents", Raw(b"[]"))
    for name in ("systemInstruction", "system_instruction"):
        if name in request:
            contents = Raw(_encode([request[name], *msgspec.json.decode(contents, type=list[Raw])]))
    return {"model": Raw(_encode(f"models/{model}")), "contents": contents}


class CodeAssist:
    """The layer that lets requests for the Gemini API be answered by Code Assist.

    Every chunk of a streamed answer is one or more whole events in the plainest form. A stream whose first
    event is an error becomes an answer with that error's status, so that it can be tried again.
    """

    def __init__(
        self,
        inner: Transport,
        *,
        project: Callable[[], Awaitable[str]],
        base_url: str = DEFAULT_BASE_URL,
        session_id: str | None = None,
        new_id: Callable[[], str] = lambda: str(uuid.uuid4()),
    ) -> None:
        """`project` finds the project that requests are charged to, or raises the error that says why not."""
        self._inner = inner
        self._project = project
        self._base_url = base_url.rstrip("/")
        self._new_id = new_id
        self._session_id = session_id or new_id()

    async def send(self, request: Request) -> Response:
        """Send a request for the Gemini API to Code Assist; the answer is the Gemini API's."""
        asked = model_list(request.url) if request.method == "GET" else None
        if asked is not None:
            return await self._models(asked, request)
        call = model_call(request.url)
        if call is None or call.method not in METHODS or request.method != "POST":
            return refusal(501, unavailable("Code Assist", request.method, urlsplit(request.url).path))
        body = wrapped(
            call,
            request.body,
            project="" if call.method == "countTokens" else await self._project(),
            prompt_id=self._new_id(),
            session_id=self._session_id,
        )
        response = await self._inner.send(
            Request("POST", code_assist_url(call, self._base_url), kept_headers(request.headers), body)
        )
        if response.status >= 400:
            return await _plain_refusal(response)
        return await (_first_event(response) if call.events else _whole_answer(response))

    async def _models(self, asked: ModelList, request: Request) -> Response:
        headers = {**kept_headers(request.headers), "content-type": "application/json"}
        body = quota_body(await self._project())
        response = await self._inner.send(Request("POST", quota_url(self._base_url), headers, body))
        if response.status >= 400:
            return await _plain_refusal(response)
        async with response:
            told = await response.read()
        status, body = models_told(asked, told)
        return Response(status, {"content-type": "application/json"}, whole(body))


def models_told(asked: ModelList, quota: bytes) -> tuple[int, bytes]:
    """The answer to a question for models, out of a quota: a status and a body."""
    body = answered(asked, models_of_quota(quota))
    if body is not None:
        return 200, body
    message = f"models/{asked.model} is not among the models that Code Assist has a quota for."
    return 404, google_error(404, "NOT_FOUND", message)


async def _plain_refusal(response: Response) -> Response:
    refused = await in_memory(response)
    body = await refused.read()
    error = plain_error(body)
    content_type = "application/json" if error_in(error) is not None else None
    return Response(response.status, answer_headers(response.headers, content_type), whole(error))


async def _whole_answer(response: Response) -> Response:
    async with response:
        body = unwrapped(await response.read())
    return Response(response.status, answer_headers(response.headers, "application/json"), whole(body))


async def _first_event(response: Response) -> Response:
    """The response once its first event is here."""
    documents = _documents(response.chunks)
    try:
        first = await anext(documents, None)
    except BaseException:
        await response.close()
        raise
    if first is not None and (status := error_in(first[0])) is not None:
        await response.close()
        return refusal(status, plain_error(first[0]))
    return Response(
        response.status,
        answer_headers(response.headers, "text/event-stream"),
        _events(first, documents),
        response.close,
    )


async def _documents(chunks: AsyncIterator[bytes]) -> AsyncIterator[list[bytes]]:
    """The documents of a stream as they are completed: lists that are never empty."""
    unwrapper = EventUnwrapper()
    async for chunk in chunks:
        if documents := unwrapper.feed(chunk):
            yield documents
    if documents := unwrapper.close():
        yield documents


async def _events(first: list[bytes] | None, later: AsyncIterator[list[bytes]]) -> AsyncIterator[bytes]:
    if first is not None:
        yield b"".join(map(as_event, first))
    async for documents in later:
        yield b"".join(map(as_event, documents))
