"""Signing requests, and the one second try after a 401."""

from __future__ import annotations

import pytest

from groundwire.errors import SignInExpired
from groundwire.secret import Secret
from groundwire.transport.auth import ApiKey, Auth, Headers
from groundwire.transport.base import Request, Response, whole


class Server:
    """Answers with the given statuses and remembers what it was sent."""

    def __init__(self, *statuses: int) -> None:
        self.statuses = list(statuses)
        self.seen: list[Request] = []
        self.closed = 0

    async def send(self, request: Request) -> Response:
        self.seen.append(request)
        return Response(self.statuses.pop(0), {}, whole(b"body"), close=self._close)

    async def _close(self) -> None:
        self.closed += 1


class Numbered:
    """Gives token 1, and after each renewal the next one."""

    def __init__(self, *, renews: bool = True, error: Exception | None = None) -> None:
        self.number, self.renews, self.error = 1, renews, error
        self.refused: list[Headers] = []

    async def headers(self) -> Headers:
        return {"Authorization": Secret(f"token {self.number}")}

    async def renew(self, refused: Headers) -> bool:
        self.refused.append(refused)
        if self.error:
            raise self.error
        self.number += 1
        return self.renews


REQUEST = Request("POST", "https://x/", {"authorization": "mine", "Accept": "a"}, b"q")


async def test_a_key_is_sent_in_its_header_and_the_request_still_prints_safely() -> None:
    server = Server(200)
    await Auth(server, ApiKey(Secret("K1"), "x-goog-api-key")).send(REQUEST)
    sent = server.seen[0]
    assert sent.headers["x-goog-api-key"] == Secret("K1")
    assert (sent.headers["Accept"], sent.body) == ("a", b"q")
    assert "K1" not in repr(sent)


async def test_a_bearer_key_replaces_a_header_of_the_same_name_in_any_case() -> None:
    server = Server(200)
    await Auth(server, ApiKey(Secret("K1"), "Authorization", "Bearer")).send(REQUEST)
    assert dict(server.seen[0].headers) == {"Accept": "a", "Authorization": Secret("Bearer K1")}


async def test_after_a_401_the_credential_is_renewed_and_the_request_sent_once_more() -> None:
    server, authorizer = Server(401, 401), Numbered()
    response = await Auth(server, authorizer).send(REQUEST)
    assert [request.headers["Authorization"] for request in server.seen] == [
        Secret("token 1"),
        Secret("token 2"),
    ]
    assert response.status == 401
    assert server.closed == 1
    assert authorizer.refused == [{"Authorization": Secret("token 1")}]


async def test_a_refused_key_gives_back_the_401_with_its_body() -> None:
    server = Server(401)
    response = await Auth(server, ApiKey(Secret("K"))).send(REQUEST)
    assert await response.read() == b"body"
    assert server.closed == 0


async def test_the_refused_response_is_closed_when_renewing_fails() -> None:
    server = Server(401)
    with pytest.raises(SignInExpired):
        await Auth(server, Numbered(error=SignInExpired("over"))).send(REQUEST)
    assert server.closed == 1


@pytest.mark.parametrize("status", [200, 400, 403, 429, 500])
async def test_other_answers_pass_untouched(status: int) -> None:
    server, authorizer = Server(status), Numbered()
    assert (await Auth(server, authorizer).send(REQUEST)).status == status
    assert authorizer.refused == []
