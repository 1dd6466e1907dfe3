"""Renewing a sign-in: once, whoever asks; written back where it came from; nobody's sign-in is lost."""

from __future__ import annotations

import asyncio
import base64
import json
import threading
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from groundwire.credentials.lock import FileLock, Sleep
from groundwire.credentials.memory import Memory
from groundwire.credentials.openai_oauth import OpenAIIssuer
from groundwire.credentials.records import OAuthTokens, codex_tokens, oauth_record
from groundwire.credentials.store import FileStore, TextStore
from groundwire.credentials.stored_sign_in import StoredSignIn
from groundwire.credentials.token_places import TokenPlace, codex_place, own_place, record_place
from groundwire.errors import (
    ConnectFailed,
    CredentialError,
    MissingOpenAISession,
    SignInExpired,
    TransportError,
)
from groundwire.secret import Secret
from groundwire.testing import ManualClock, ScriptedTransport, reply
from groundwire.transport.auth import Headers
from groundwire.transport.base import Request, Response, Transport, whole

NOW = 1_800_000_000.0


def jwt(expires: float, number: int = 0) -> str:
    payload = json.dumps({"exp": expires, "jti": number}).encode()
    return f"e30.{base64.urlsafe_b64encode(payload).decode().rstrip('=')}.sig"


class TokenServer:
    """OpenAI's token endpoint: each refresh token works once. Safe to ask from several threads."""

    def __init__(self) -> None:
        self.number = 1
        self.refreshes = 0
        self.guard = threading.Lock()
        self.entered = asyncio.Event()
        self.hold: asyncio.Event | None = None

    async def send(self, request: Request) -> Response:
        self.entered.set()
        if self.hold is not None:
            await self.hold.wait()
        await asyncio.sleep(0)
        with self.guard:
            self.refreshes += 1
            if parse_qs(request.body.decode())["refresh_token"] != [f"rt{self.number}"]:
                return reply({"error": {"code": "refresh_token_reused"}}, status=401)
            self.number += 1
            tokens = {
                "access_token": jwt(NOW + 9000, self.number),
                "refresh_token": f"rt{self.number}",
                "id_token": jwt(NOW, self.number),
            }
        return Response(200, {}, whole(json.dumps(tokens).encode()))


class Sign:
    """A sign-in in a store of a temporary folder, and sessions that share it."""

    def __init__(self, root: Path, *, codex: bool = False, left: float = 100.0) -> None:
        self.root, self.codex = root, codex
        self.path = root / ("codex/auth.json" if codex else "opencode/auth.json")
        self.path.parent.mkdir(parents=True)
        self.write(jwt(NOW + left), "rt1")
        self.clock = ManualClock(NOW)
        self.server = TokenServer()

    def write(self, access: str, refresh: str | None) -> None:
        if self.codex:
            document: dict[str, object] = {
                "auth_mode": "chatgpt",
                "OPENAI_API_KEY": None,
                "tokens": {
                    "id_token": "id1",
                    "access_token": access,
                    "refresh_token": refresh,
                    "oauth_provenance": {"issuer": "https://auth.openai.com", "client_id": "app_own"},
                    "login_owner_id": "owner",
                    "account_id": "acc",
                },
                "last_refresh": "2026-11-15T17:58:20.994369260Z",
                "agent_identity": {"keep": [1, 2]},
            }
        else:
            record = {"type": "oauth", "refresh": refresh, "access": access, "expires": 1, "extra": True}
            document = {"google": {"type": "api", "key": "K"}, "openai": record, "z": {"type": "x"}}
        self.path.write_text(json.dumps(document, indent=2), encoding="utf-8")

    @property
    def place(self) -> TokenPlace:
        store, memory = FileStore(self.path, "a store"), Memory(self.root / "state")
        if self.codex:
            return codex_place(store, memory, "codex login")
        return record_place(store, "openai", memory, "opencode auth login")

    @property
    def stored(self) -> OAuthTokens:
        document = json.loads(self.path.read_text(encoding="utf-8"))
        tokens = codex_tokens(document) if self.codex else oauth_record(document, "openai")
        assert tokens is not None
        return tokens

    def session(self, transport: Transport | None = None, sleep: Sleep = asyncio.sleep) -> StoredSignIn:
        tokens = self.place.load()
        assert tokens is not None
        return StoredSignIn(
            tokens,
            self.place,
            OpenAIIssuer("https://auth.openai.com"),
            transport=transport or self.server,
            clock=self.clock,
            sleep=sleep,
        )


@pytest.fixture
def sign(tmp_path: Path) -> Sign:
    return Sign(tmp_path)


def bearer(headers: Headers) -> str:
    value = headers["Authorization"]
    assert isinstance(value, Secret)
    return value.reveal().removeprefix("Bearer ")


async def test_a_token_that_lasts_is_used_without_reading_or_renewing(tmp_path: Path) -> None:
    sign = Sign(tmp_path, left=301)
    session = sign.session()
    sign.path.unlink()
    assert bearer(await session.headers()) == jwt(NOW + 301)
    assert sign.server.refreshes == 0


async def test_a_token_near_its_end_is_renewed_and_written_back_to_opencodes_store(sign: Sign) -> None:
    before = json.loads(sign.path.read_text(encoding="utf-8"))
    assert bearer(await sign.session().headers()) == jwt(NOW + 9000, 2)
    after = json.loads(sign.path.read_text(encoding="utf-8"))
    assert list(after) == list(before)
    assert after["google"] == before["google"]
    assert after["openai"] == {
        **before["openai"],
        "access": jwt(NOW + 9000, 2),
        "refresh": "rt2",
        "expires": int((NOW + 9000) * 1000),
    }


async def test_codexs_store_keeps_every_key_it_had(tmp_path: Path) -> None:
    sign = Sign(tmp_path, codex=True)
    before = json.loads(sign.path.read_text(encoding="utf-8"))
    assert (await sign.session().headers())["ChatGPT-Account-Id"] == "acc"
    after = json.loads(sign.path.read_text(encoding="utf-8"))
    assert after["last_refresh"] == "2027-01-15T08:00:00.000000Z"
    assert after["tokens"]["refresh_token"] == "rt2"
    assert after["tokens"]["id_token"] == jwt(NOW, 2)
    for document in (before, after):
        for name in ("id_token", "access_token", "refresh_token"):
            del document["tokens"][name]
        del document["last_refresh"]
    assert after == before


async def test_a_hundred_tasks_renew_once(sign: Sign) -> None:
    session = sign.session()
    headers = await asyncio.gather(*(session.headers() for _ in range(100)))
    assert {bearer(one) for one in headers} == {jwt(NOW + 9000, 2)}
    assert sign.server.refreshes == 1


async def test_a_hundred_sessions_on_one_store_renew_once(sign: Sign) -> None:
    sessions = [sign.session() for _ in range(100)]
    headers = await asyncio.gather(*(session.headers() for session in sessions))
    assert {bearer(one) for one in headers} == {jwt(NOW + 9000, 2)}
    assert sign.server.refreshes == 1


async def test_a_hundred_refused_requests_renew_once(tmp_path: Path) -> None:
    sign = Sign(tmp_path, left=5000)
    session = sign.session()
    refused = await session.headers()
    renewed = await asyncio.gather(*(session.renew(refused) for _ in range(100)))
    assert renewed == [True] * 100
    assert sign.server.refreshes == 1


@pytest.mark.parametrize("shared", [True, False], ids=["one session", "a session each"])
def test_threads_with_their_own_loops_renew_once(sign: Sign, shared: bool) -> None:
    sessions = [sign.session()] * 8 if shared else [sign.session() for _ in range(8)]
    seen: list[str] = []
    start = threading.Barrier(len(sessions))

    def run(session: StoredSignIn) -> None:
        async def ask() -> None:
            seen.extend(map(bearer, await asyncio.gather(*(session.headers() for _ in range(10)))))

        start.wait()
        asyncio.run(ask())

    threads = [threading.Thread(target=run, args=(session,)) for session in sessions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [jwt(NOW + 9000, 2)] * 80
    assert sign.server.refreshes == 1


async def test_a_token_that_another_program_renewed_is_adopted(sign: Sign) -> None:
    session = sign.session()
    sign.write(jwt(NOW + 7000, 9), "rt9")
    assert bearer(await session.headers()) == jwt(NOW + 7000, 9)
    assert sign.server.refreshes == 0


async def test_after_a_401_another_programs_token_is_adopted_before_renewing(tmp_path: Path) -> None:
    sign = Sign(tmp_path, left=5000)
    session = sign.session()
    refused = await session.headers()
    sign.write(jwt(NOW + 7000, 9), "rt9")
    assert await session.renew(refused)
    assert bearer(await session.headers()) == jwt(NOW + 7000, 9)
    assert sign.server.refreshes == 0


async def test_after_a_401_an_unchanged_token_is_renewed(tmp_path: Path) -> None:
    sign = Sign(tmp_path, left=5000, codex=True)
    session = sign.session()
    assert await session.renew(await session.headers())
    assert sign.stored.refresh == Secret("rt2")


async def test_the_client_id_the_sign_in_was_made_for_is_used(tmp_path: Path) -> None:
    sign = Sign(tmp_path, codex=True)
    async with ScriptedTransport([reply({"access_token": "new"})]) as transport:
        await sign.session(transport).headers()
        assert b"client_id=app_own" in transport.requests[0].body


async def test_what_the_reply_leaves_out_keeps_its_old_value(tmp_path: Path) -> None:
    sign = Sign(tmp_path, codex=True)
    await sign.session(ScriptedTransport([reply({"access_token": "new"})])).headers()
    assert sign.stored.access == Secret("new")
    assert (sign.stored.refresh, sign.stored.id_token) == (Secret("rt1"), Secret("id1"))


class Overtaken:
    """A server that says "already used" because another program renewed and wrote the store meanwhile."""

    def __init__(self, sign: Sign, *, writes: bool) -> None:
        self.sign, self.writes = sign, writes

    async def send(self, request: Request) -> Response:
        if self.writes:
            self.sign.write(jwt(NOW + 7000, 9), "rt9")
        return reply({"error": {"code": "refresh_token_reused"}}, status=401)


async def test_when_somebody_without_a_lock_was_faster_their_token_is_adopted(tmp_path: Path) -> None:
    sign = Sign(tmp_path, left=-10)
    session = sign.session(Overtaken(sign, writes=True))
    assert bearer(await session.headers()) == jwt(NOW + 7000, 9)


async def test_a_token_used_up_by_nobody_we_know_ends_the_sign_in(tmp_path: Path) -> None:
    sign = Sign(tmp_path, left=-10)
    with pytest.raises(SignInExpired, match="already used") as caught:
        await sign.session(Overtaken(sign, writes=False)).headers()
    assert "opencode auth login" in caught.value.hint


async def test_a_permanent_refusal_names_the_command_that_signs_in_again(tmp_path: Path) -> None:
    sign = Sign(tmp_path, left=-10, codex=True)
    refusal = reply({"error": "invalid_grant"}, status=400)
    with pytest.raises(SignInExpired, match="invalid_grant") as caught:
        await sign.session(ScriptedTransport([refusal])).headers()
    assert caught.value.hint == "Sign in again with: codex login"
    assert sign.stored.refresh == Secret("rt1")


async def test_a_clock_that_is_years_ahead_costs_one_renewal(sign: Sign) -> None:
    sign.clock.now += 10 * 365 * 86400
    session = sign.session()
    for _ in range(5):
        assert bearer(await session.headers()) == jwt(NOW + 9000, 2)
    assert sign.server.refreshes == 1


async def test_a_token_of_a_wrong_clock_is_still_renewed_when_a_server_refuses_it(sign: Sign) -> None:
    sign.clock.now += 10 * 365 * 86400
    session = sign.session()
    assert await session.renew(await session.headers())
    assert bearer(await session.headers()) == jwt(NOW + 9000, 3)


async def test_a_sign_in_that_is_over_leaves_our_own_store(tmp_path: Path) -> None:
    sign = Sign(tmp_path, left=-10)
    place = own_place(FileStore(sign.path, "ours"), "openai", Memory(tmp_path), "groundwire login openai")
    tokens = place.load()
    assert tokens is not None
    transport = ScriptedTransport([reply({"error": "invalid_grant"}, status=400)])
    session = StoredSignIn(tokens, place, OpenAIIssuer("https://x"), transport=transport, clock=sign.clock)
    with pytest.raises(SignInExpired, match="invalid_grant"):
        await session.headers()
    assert list(json.loads(sign.path.read_text(encoding="utf-8"))) == ["google", "z"]


@pytest.mark.parametrize(
    "answer",
    [
        reply("busy", status=503),
        reply("slow down", status=429),
        reply("<html>", status=403, content_type="text/html"),
        reply("not json"),
        ConnectFailed("No route."),
        reply(b"x" * 300_000),
    ],
    ids=["503", "429", "challenge", "not json", "no connection", "too large"],
)
async def test_a_passing_trouble_keeps_the_sign_in_and_says_so(
    tmp_path: Path, answer: Response | TransportError
) -> None:
    sign = Sign(tmp_path, left=-10)
    with pytest.raises(TransportError, match="could not be renewed now") as caught:
        await sign.session(ScriptedTransport([answer])).headers()
    assert "try again" in caught.value.hint
    assert sign.stored.refresh == Secret("rt1")


@pytest.mark.parametrize("left", [-10, 100], ids=["an ended token", "a token that still works"])
async def test_a_crowd_asks_a_server_that_is_down_once(tmp_path: Path, left: float) -> None:
    sign = Sign(tmp_path, left=left)
    async with ScriptedTransport([reply("busy", status=503)]) as transport:
        session = sign.session(transport)
        outcomes = await asyncio.gather(*(session.headers() for _ in range(50)), return_exceptions=True)
    assert {isinstance(outcome, TransportError) for outcome in outcomes} == {left < 0}


async def test_a_later_caller_tries_again(tmp_path: Path) -> None:
    sign = Sign(tmp_path, left=-10)
    async with ScriptedTransport([reply("busy", status=503), reply({"access_token": "new"})]) as transport:
        session = sign.session(transport)
        with pytest.raises(TransportError):
            await session.headers()
        assert bearer(await session.headers()) == "new"


async def test_while_the_old_token_still_works_a_passing_trouble_does_not_matter(sign: Sign) -> None:
    session = sign.session(ScriptedTransport([ConnectFailed("No route.")]))
    assert bearer(await session.headers()) == jwt(NOW + 100)


async def test_a_store_in_a_variable_is_not_renewed_because_it_cannot_be_written(tmp_path: Path) -> None:
    text = json.dumps({"openai": {"type": "oauth", "access": jwt(NOW - 1), "refresh": "rt1"}})
    store = TextStore(text, "environment variable OPENCODE_AUTH_CONTENT")
    place = record_place(store, "openai", Memory(tmp_path), "opencode auth login")
    tokens = place.load()
    assert tokens is not None
    server = TokenServer()
    session = StoredSignIn(tokens, place, OpenAIIssuer("https://x"), transport=server, clock=lambda: NOW)
    with pytest.raises(SignInExpired, match="cannot be written back"):
        await session.headers()
    assert server.refreshes == 0


async def test_an_ended_sign_in_without_a_refresh_token_says_so(tmp_path: Path) -> None:
    sign = Sign(tmp_path, left=-10)
    sign.write(jwt(NOW - 10), None)
    with pytest.raises(SignInExpired, match="no refresh token"):
        await sign.session().headers()


async def test_signing_out_meanwhile_is_noticed(sign: Sign) -> None:
    session = sign.session()
    sign.path.write_text("{}", encoding="utf-8")
    with pytest.raises(MissingOpenAISession, match="no longer in"):
        await session.headers()
    assert sign.server.refreshes == 0


async def test_a_half_written_store_is_read_again(sign: Sign) -> None:
    whole_text = sign.path.read_text(encoding="utf-8")

    async def finish_writing(seconds: float) -> None:
        sign.path.write_text(whole_text, encoding="utf-8")

    session = sign.session(sleep=finish_writing)
    sign.path.write_text(whole_text[:40], encoding="utf-8")
    await session.headers()
    assert sign.server.refreshes == 1


async def test_no_token_is_spent_when_the_store_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign = Sign(tmp_path, left=-10)

    def refuse(store: FileStore) -> None:
        raise CredentialError("read-only")

    monkeypatch.setattr(FileStore, "prove_writable", refuse)
    with pytest.raises(CredentialError, match="read-only"):
        await sign.session().headers()
    assert sign.server.refreshes == 0


async def test_a_write_that_fails_after_all_is_logged_and_the_work_goes_on(
    sign: Sign, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(store: FileStore, changes: object) -> None:
        raise CredentialError("The disk is full.")

    monkeypatch.setattr(FileStore, "put", refuse)
    assert bearer(await sign.session().headers()) == jwt(NOW + 9000, 2)
    assert "opencode auth login" in caplog.text


async def test_a_cancelled_caller_does_not_lose_the_new_token(sign: Sign) -> None:
    sign.server.hold = asyncio.Event()
    session = sign.session()
    caller = asyncio.create_task(session.headers())
    await sign.server.entered.wait()
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    sign.server.hold.set()
    assert bearer(await session.headers()) == jwt(NOW + 9000, 2)
    assert sign.stored.refresh == Secret("rt2")
    assert sign.server.refreshes == 1


def test_a_loop_that_ends_in_the_middle_leaves_the_locks_free(sign: Sign) -> None:
    async def leave() -> None:
        sign.server.hold = asyncio.Event()
        caller = asyncio.create_task(sign.session().headers())
        await sign.server.entered.wait()
        caller.cancel()

    asyncio.run(leave())
    for path in sign.place.locks:
        lock = FileLock(path)
        assert lock.try_acquire()
        lock.release()


async def test_codexs_own_lock_is_waited_for(tmp_path: Path) -> None:
    sign = Sign(tmp_path, codex=True)
    codex = FileLock(sign.path.parent / "auth.lock")
    assert codex.try_acquire()
    waits = 0

    async def codex_finishes(seconds: float) -> None:
        nonlocal waits
        waits += 1
        assert sign.server.refreshes == 0
        codex.release()

    await sign.session(sleep=codex_finishes).headers()
    assert (waits, sign.server.refreshes) == (1, 1)


async def test_a_lock_that_is_never_released_becomes_an_error(sign: Sign) -> None:
    holder = FileLock(sign.place.locks[0])
    holder.try_acquire()
    session = sign.session(sleep=sign.clock.sleep)
    with pytest.raises(TransportError, match="Another program has been renewing"):
        await session.headers()
    holder.release()


async def test_a_session_prints_no_token(sign: Sign) -> None:
    session = sign.session()
    assert "rt1" not in repr(session) + repr(sign.place) + repr(sign.stored)
