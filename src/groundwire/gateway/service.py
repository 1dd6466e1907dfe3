"""What happens to a request: is it allowed, what does it ask for, ask the upstream, pass the answer on.

    GET  /healthz, /metrics                   no key needed
    POST /v1beta/models/M:generateContent, :countTokens   passed on whole
    POST /v1beta/models/M:streamGenerateContent             as events with ?alt=sse, else as a JSON array
    GET  /v1beta/models, /v1beta/models/M
    the rest of the Gemini API                              passed on, or 501 where the upstream has it not
    anything else                                           404

`v1` and `v1alpha` are served like `v1beta`. What is not the upstream's own answer is JSON in Google's form.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from groundwire.errors import GroundwireError
from groundwire.gateway import metrics, relay
from groundwire.gateway.access import Access
from groundwire.gateway.debug_log import DebugLog
from groundwire.gateway.metrics import Metrics
from groundwire.gateway.refusals import JSON, Answer, Refused, our_refusal, refusal
from groundwire.gateway.upstream import Upstream
from groundwire.gateway.wire_reply import Reply
from groundwire.gateway.wire_server import Inbound
from groundwire.transport.base import Request, Response
from groundwire.transport.gemini_path import METHODS, ModelCall, ModelList, model_call, model_list
from groundwire.transport.model_list import answered

_API = re.compile(r"(?:/upload)?/(?:v1|v1beta|v1alpha)/(?P<rest>.+)")
_COLLECTIONS = re.compile(
    r"(?:models|tunedModels|files|media|cachedContents|batches|operations|corpora|fileSearchStores|dynamic"
    r"|generatedFiles|interactions|authTokens|auth_tokens)(?:[/:].*)?"
)
"""What the Gemini API has; a path that begins otherwise is a mistake and not a wish."""

_PASSED_ON = ("x-goog-", "content-type", "accept-language", "range")
_NOT_PASSED_ON = frozenset({"x-goog-api-key", "x-goog-authenticated-user-email", "x-goog-iap-jwt-assertion"})


@dataclass(slots=True)
class Exchange:
    """One request on its way, and what is counted about it."""

    request: Inbound
    reply: Reply
    operation: str = "other"


class Service:
    """Answers requests for one upstream. It is the handler that a wire_server calls."""

    def __init__(
        self,
        upstream: Upstream,
        access: Access,
        *,
        debug: DebugLog | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.metrics = Metrics()
        self._upstream = upstream
        self._access = access
        self._debug = debug
        self._clock = clock

    async def __call__(self, request: Inbound, reply: Reply) -> None:
        """Answer one request, whatever happens; count it."""
        exchange, began = Exchange(request, reply), self._clock()
        if self._debug is not None:
            target = request.path + (f"?{request.query}" if request.query else "")
            self._debug.request(request.method, target, request.headers.items(), request.body)
        self.metrics.in_progress += 1
        status = 499
        try:
            await self._answer(exchange)
            status = reply.status
        except (
            asyncio.CancelledError
        ):  # the client is gone; what was asked upstream is closed on the way here
            self.metrics.clients_gone += 1
            reply.cut()
        finally:
            self.metrics.in_progress -= 1
            self.metrics.answered(exchange.operation, status, self._clock() - began)

    async def _answer(self, exchange: Exchange) -> None:
        try:
            answer = await self._decide(exchange)
        except Refused as refused:
            answer = refused.answer
        except GroundwireError as error:
            answer = our_refusal(error)
        except Exception as error:  # noqa: BLE001  (a server answers even its own bugs)
            answer = refusal(500, f"The gateway made a mistake: {type(error).__name__}.")
        if answer is None:
            return
        if exchange.reply.started:
            self._cut(exchange, answer)
        else:
            self._send(exchange, answer)

    def _send(self, exchange: Exchange, answer: Answer) -> None:
        exchange.reply.send(answer.status, answer.headers, answer.body)
        if self._debug is not None:
            self._debug.response(answer.status, answer.headers, answer.body)

    def _cut(self, exchange: Exchange, answer: Answer) -> None:
        """After the first byte a failure can be told in one way that no client takes for an end."""
        self.metrics.streams_cut += 1
        exchange.reply.cut()
        if self._debug is not None:
            self._debug.note(f"broken off: {answer.body.decode()}")

    async def _decide(self, exchange: Exchange) -> Answer | None:
        """The answer, or None when it was streamed."""
        request = exchange.request
        refused = self._access.refused_origin(request.headers)
        if refused is not None:
            return refused
        if request.path in ("/healthz", "/metrics"):
            exchange.operation = request.path[1:]
            return self._own_page(request)
        refused = self._access.refused_key(request.headers, request.query)
        if refused is not None:
            return refused
        if request.headers.get("content-encoding", "identity").lower() != "identity":
            return refusal(415, "This gateway reads no compressed bodies: send it without content-encoding.")
        found = _API.fullmatch(request.path)
        if found is None or _COLLECTIONS.fullmatch(found["rest"]) is None:
            return refusal(
                404,
                f"There is nothing at {request.path}: this is a gateway to the Gemini API, whose paths begin "
                "with /v1beta/models.",
            )
        call = model_call(f"{request.path}?{request.query}")
        if call is not None and call.method in METHODS:
            exchange.operation = call.method
            return await self._call(exchange, call)
        return await self._other(exchange, model_list(request.path))

    def _own_page(self, request: Inbound) -> Answer:
        if request.method not in ("GET", "HEAD"):
            return refusal(405, f"{request.path} is read with GET.", ("allow", "GET, HEAD"))
        if request.path == "/metrics":
            return Answer(200, self.metrics.text().encode(), (("content-type", metrics.CONTENT_TYPE),))
        return _page({"status": "ok", "upstream": self._upstream.name})

    async def _call(self, exchange: Exchange, call: ModelCall) -> Answer | None:
        request = exchange.request
        if request.method != "POST":
            return refusal(405, f"{call.method} is called with POST.", ("allow", "POST"))
        asked = Request(
            "POST",
            f"{self._upstream.base_url}{request.path}{'?alt=sse' if call.streams else ''}",
            {"content-type": "application/json"},
            request.body,
        )
        async with await self._upstream.transport.send(asked) as response:
            await relay.refuse_if_refused(response, self._upstream.title)
            if not call.streams:
                generated = call.method == "generateContent"
                return await relay.whole(response, self._upstream.title, generated=generated)
            await self._stream(exchange, call, response)
            return None

    async def _stream(self, exchange: Exchange, call: ModelCall, response: Response) -> None:
        framing: relay.Framing = relay.Events() if call.events else relay.Array()
        outlet = exchange.reply if self._debug is None else _Watched(exchange.reply, self._debug)
        self.metrics.streams_open += 1
        try:
            self.metrics.events += await relay.stream(response, outlet, framing, self._upstream.title)
        finally:
            self.metrics.streams_open -= 1

    async def _other(self, exchange: Exchange, models: ModelList | None) -> Answer:
        request = exchange.request
        if models is not None:
            exchange.operation = "models"
            if request.method not in ("GET", "HEAD"):
                return refusal(405, "Models are read with GET.", ("allow", "GET, HEAD"))
            if self._upstream.list_models is not None:
                listed = answered(models, await self._upstream.list_models())
                if listed is None:
                    return refusal(404, f"models/{models.model} is not among the models of this upstream.")
                return Answer(200, listed)
        elif not self._upstream.complete:
            return refusal(
                501,
                f"{self._upstream.title} has no {request.method} {request.path}: it can generate content, "
                "stream it and count tokens. The rest of the Gemini API is there with --upstream api-key.",
            )
        return await self._passed_on(request)

    async def _passed_on(self, request: Inbound) -> Answer:
        query = "&".join(pair for pair in request.query.split("&") if pair and not pair.startswith("key="))
        asked = Request(
            # An answer to HEAD says how long a body is that never comes; ours is made from the one to GET.
            "GET" if request.method == "HEAD" else request.method,
            f"{self._upstream.base_url}{request.path}{f'?{query}' if query else ''}",
            {
                name: value
                for name, value in request.headers.items()
                if name.startswith(_PASSED_ON) and name not in _NOT_PASSED_ON
            },
            request.body,
        )
        async with await self._upstream.transport.send(asked) as response:
            await relay.refuse_if_refused(response, self._upstream.title)
            body = await response.read(relay.MAX_ANSWER_BYTES)
            content_type = ("content-type", response.headers.get("content-type", JSON[1]))
            return Answer(response.status, body, (content_type, *relay.passed_headers(response)))


class _Watched:
    """A Reply whose pieces are shown in the debug log."""

    def __init__(self, reply: Reply, debug: DebugLog) -> None:
        self._reply = reply
        self._debug = debug
        self.send = reply.send
        self.end = reply.end

    @property
    def started(self) -> bool:
        return self._reply.started

    def start(self, status: int, headers: relay.HeaderPairs) -> None:
        self._debug.response(status, headers, b"")
        self._reply.start(status, headers)

    async def write(self, data: bytes) -> None:
        self._debug.piece(data)
        await self._reply.write(data)


def _page(value: object) -> Answer:
    return Answer(200, msgspec.json.encode(value))
