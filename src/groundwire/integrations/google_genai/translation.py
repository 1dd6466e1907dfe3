"""One exchange with Code Assist in the terms of `httpx` or `httpx2`: requests and responses, nothing sent.

Responses are of the same library as the request, and say nothing about the length or encoding of a body they
no longer have.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from groundwire.errors import InvalidRequest
from groundwire.integrations.google_genai.shared_sign_in import SharedSignIn
from groundwire.secret import Secret
from groundwire.transport.auth import Headers
from groundwire.transport.code_assist import code_assist_url, models_told, wrapped
from groundwire.transport.gemini_path import METHODS, ModelCall, ModelList, model_call, model_list
from groundwire.transport.http import USER_AGENT
from groundwire.transport.model_list import quota_body, quota_url
from groundwire.transport.translating import answer_headers, google_error, kept_headers, unavailable
from groundwire.transport.unwrapping import error_in, plain_error, unwrapped


class Impossible(Exception):
    """A request that cannot be translated: the status and the body of the answer it gets."""

    def __init__(self, status: int, body: bytes) -> None:
        super().__init__(status)
        self.status = status
        self.body = body


class Translation:
    """One request of the library, and what it becomes."""

    def __init__(self, library: ModuleType, request: Any, sign_in: SharedSignIn) -> None:
        self._library = library
        self._request = request
        self._sign_in = sign_in
        self._call = model_call(str(request.url))
        self._list = model_list(str(request.url)) if request.method == "GET" else None

    def call(self) -> ModelCall | ModelList:
        """What is asked. Raises Impossible for what Code Assist does not have."""
        call, request = self._call, self._request
        if self._list is not None:
            return self._list
        if call is None or call.method not in METHODS or request.method != "POST":
            raise Impossible(501, unavailable("Code Assist", request.method, request.url.path))
        return call

    @staticmethod
    def has_project(call: ModelCall | ModelList) -> bool:
        """Whether a project is named in the request: counting has none."""
        return isinstance(call, ModelList) or call.method != "countTokens"

    def body(self, call: ModelCall | ModelList, body: bytes, project: str) -> bytes:
        """The body for Code Assist. Raises Impossible when the old one is not a JSON object."""
        if isinstance(call, ModelList):
            return quota_body(project)
        session = self._sign_in.session_id
        try:
            return wrapped(call, body, project=project, prompt_id=str(uuid.uuid4()), session_id=session)
        except InvalidRequest as error:
            raise Impossible(400, google_error(400, "INVALID_ARGUMENT", str(error))) from error

    def request(self, body: bytes, credential: Headers) -> Any:
        """The request for Code Assist. The time limits that the caller set come along."""
        old = self._request
        headers: dict[str, str | Secret] = {
            **kept_headers(dict(old.headers)),
            "user-agent": " ".join(filter(None, [USER_AGENT, old.headers.get("user-agent")])),
            "content-type": "application/json",
            **credential,
        }
        plain = {name: one.reveal() if isinstance(one, Secret) else one for name, one in headers.items()}
        call, server = self.call(), self._sign_in.base_url
        url = quota_url(server) if isinstance(call, ModelList) else code_assist_url(call, server)
        return self._library.Request("POST", url, headers=plain, content=body, extensions=old.extensions)

    def streams(self, response: Any) -> bool:
        """Whether the answer is to be read piece by piece."""
        return self._call is not None and self._call.events and response.status_code < 400

    def whole(self, response: Any, body: bytes) -> Any:
        """The answer to a whole body, good or bad."""
        status = response.status_code
        if status >= 400:
            return self._answer(status, plain_error(body), response.headers)
        if self._list is not None:
            return self._answer(*models_told(self._list, body), response.headers)
        return self._answer(status, unwrapped(body), response.headers)

    def failed_at_once(self, first: list[bytes]) -> Any:
        """The answer to a stream that begins with an error; None when it does not."""
        if first and (status := error_in(first[0])) is not None:
            return self._answer(status, plain_error(first[0]), {})
        return None

    def stream(self, response: Any, stream: Any) -> Any:
        """The answer whose events arrive in `stream`."""
        headers = answer_headers(dict(response.headers), "text/event-stream")
        return self._library.Response(
            response.status_code, headers=headers, stream=stream, request=self._request
        )

    def refusal(self, impossible: Impossible) -> Any:
        """The answer to a request that was not sent."""
        return self._answer(impossible.status, impossible.body, {})

    def _answer(self, status: int, body: bytes, headers: Mapping[str, str]) -> Any:
        kind = "application/json" if body.lstrip()[:1] in (b"{", b"[") else None
        kept = answer_headers(dict(headers), kind)
        return self._library.Response(status, headers=kept, content=body, request=self._request)
