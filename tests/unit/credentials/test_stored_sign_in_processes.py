"""Several real processes with one stored sign-in, against a token endpoint on loopback: one renewal."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs

import pytest

CHILD = """
import asyncio, os, sys, time
from pathlib import Path
from groundwire.config import load_config
from groundwire.credentials.resolve import resolve
from groundwire.transport.http import Http

async def main():
    home = Path(os.environ["HOME"])
    config = load_config(env=os.environ, cwd=home, home=home)
    async with Http() as http:
        credential = resolve("openai_oauth", config, os.environ, http, time.time)
        print("ready", flush=True)
        sys.stdin.readline()
        headers = await asyncio.gather(*(credential.authorizer.headers() for _ in range(20)))
        print({one["Authorization"].reveal() for one in headers}, flush=True)

asyncio.run(main())
"""


def jwt(expires: int, number: int) -> str:
    payload = json.dumps({"exp": expires, "jti": number}).encode()
    return f"e30.{base64.urlsafe_b64encode(payload).decode().rstrip('=')}.sig"


class TokenEndpoint(ThreadingHTTPServer):
    """Rotates refresh tokens; each works once."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), TokenHandler)
        self.guard = threading.Lock()
        self.number = 1
        self.refreshes = 0


class TokenHandler(BaseHTTPRequestHandler):
    server: TokenEndpoint

    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        with self.server.guard:
            self.server.refreshes += 1
            good = form["refresh_token"] == [f"rt{self.server.number}"]
            self.server.number += good
            number = self.server.number
        body: dict[str, object] = {"error": {"code": "refresh_token_reused"}}
        if good:
            body = {"access_token": jwt(4_000_000_000, number), "refresh_token": f"rt{number}"}
        content = json.dumps(body).encode()
        self.send_response(200 if good else 401)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *words: object) -> None:
        """Quiet."""


@pytest.fixture
def endpoint() -> Iterator[TokenEndpoint]:
    server = TokenEndpoint()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("store", ["opencode", "codex"])
def test_processes_that_start_together_renew_once(
    endpoint: TokenEndpoint, scrubbed_environment: Path, store: str
) -> None:
    home = scrubbed_environment
    old = jwt(1_000, 0)
    if store == "codex":
        path = home / ".codex/auth.json"
        document: object = {"tokens": {"access_token": old, "refresh_token": "rt1"}, "keep": 1}
    else:
        path = home / ".local/share/opencode/auth.json"
        document = {"keep": 1, "openai": {"type": "oauth", "access": old, "refresh": "rt1", "expires": 1}}
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(document), encoding="utf-8")
    env = {**os.environ, "GROUNDWIRE_OPENAI_OAUTH_URL": f"http://127.0.0.1:{endpoint.server_port}"}
    children = [
        subprocess.Popen(
            [sys.executable, "-c", CHILD], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for _ in range(4)
    ]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
    outputs = [child.communicate() for child in _released(children)]
    new = jwt(4_000_000_000, 2)
    assert [out for out, _ in outputs] == [f"{{'Bearer {new}'}}\n".encode()] * 4
    assert endpoint.refreshes == 1
    written = json.loads(path.read_text(encoding="utf-8"))
    assert written["keep"] == 1
    assert "rt2" in json.dumps(written)


def _released(children: list[subprocess.Popen[bytes]]) -> list[subprocess.Popen[bytes]]:
    """All told to go before the first is waited for."""
    for child in children:
        assert child.stdin is not None
        child.stdin.write(b"go\n")
        child.stdin.flush()
    return children
