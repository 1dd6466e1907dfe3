"""`groundwire gateway`: shows its key once, says what to paste, and stops with or without patience."""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.behaviour.conftest import served

GENERATE = "/v1beta/models/gemini-2.5-flash:generateContent"
STREAM = "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
KEY_FILE = Path(".local/state/groundwire/gateway-key")
HELLO = b'{"contents":[{"role":"user","parts":[{"text":"hello"}]}]}'


@contextmanager
def gateway(env: Mapping[str, str], *words: str) -> Iterator[tuple[subprocess.Popen[str], int, str]]:
    """A running `groundwire gateway`, its port and what it printed before it was ready."""
    command = [sys.executable, "-m", "groundwire", "gateway", "--port", "0", *words]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, **env},
    ) as running:
        assert running.stdout is not None
        lines = []
        for line in running.stdout:
            lines.append(line)
            if line.startswith("# Listening on "):
                break
        try:
            yield running, int(lines[-1].split()[3].rstrip(".").rpartition(":")[2]), "".join(lines)
        finally:
            if running.poll() is None:
                running.kill()


@contextmanager
def asked(port: int, key: str, path: str = GENERATE) -> Iterator[http.client.HTTPResponse]:
    """The answer of a gateway, its body still unread."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
        connection.request("POST", path, HELLO, {"x-goog-api-key": key, "content-type": "application/json"})
        with connection.getresponse() as response:
            yield response


def status(port: int, key: str) -> int:
    with asked(port, key) as response:
        return response.status


def stop(running: subprocess.Popen[str]) -> tuple[int, str]:
    running.send_signal(signal.SIGTERM)
    _, complaints = running.communicate(timeout=20)
    return running.returncode, complaints


def test_the_key_is_shown_at_the_first_start_only(scrubbed_environment: Path) -> None:
    with served() as emulator:
        with gateway(emulator.env()) as (running, port, printed):
            key = (scrubbed_environment / KEY_FILE).read_text(encoding="utf-8").strip()
            assert printed.count(key) == 1
            assert status(port, key) == 200
            assert status(port, "another-key") == 401
            code, complaints = stop(running)
            assert (code, complaints) == (0, "Stopped after 2 requests.\n")
        with gateway(emulator.env()) as (_, port, printed):
            assert key not in printed
            assert f'"$(cat {scrubbed_environment / KEY_FILE})"' in printed
            assert status(port, key) == 200


def test_a_given_key_is_neither_shown_nor_kept(scrubbed_environment: Path, tmp_path: Path) -> None:
    with served() as emulator:
        with gateway({**emulator.env(), "GROUNDWIRE_GATEWAY_KEY": "a-key-of-mine"}) as (_, port, printed):
            assert "a-key-of-mine" not in printed
            assert status(port, "a-key-of-mine") == 200
        assert not (scrubbed_environment / KEY_FILE).exists()
        file = tmp_path / "key"
        file.write_text("another-of-mine\n", encoding="utf-8")
        with gateway(emulator.env(), "--key-file", str(file)) as (_, port, printed):
            assert "another-of-mine" not in printed
            assert status(port, "another-of-mine") == 200


@pytest.mark.parametrize(
    ("upstream", "title", "path"),
    [
        ("api-key", "Gemini API", "/v1beta/models/"),
        ("code-assist", "Code Assist", "/v1internal:"),
        ("vertex", "Vertex AI", "/v1beta1/projects/emulator-project/"),
    ],
)
def test_each_upstream_is_asked_with_its_own_credential(
    upstream: str, title: str, path: str, scrubbed_environment: Path
) -> None:
    with served() as emulator:
        adc = scrubbed_environment / "adc.json"
        adc.write_text(
            '{"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"1//emulator"}',
            encoding="utf-8",
        )
        env = {
            **emulator.env(),
            "GROUNDWIRE_GATEWAY_KEY": "a-key-of-mine",
            "GOOGLE_GENAI_USE_GCA": "true",
            "GOOGLE_CLOUD_ACCESS_TOKEN": "ya29.emulator-access",
            "GOOGLE_CLOUD_PROJECT": "emulator-project",
            "GOOGLE_APPLICATION_CREDENTIALS": str(adc),
            "GOOGLE_VERTEX_BASE_URL": emulator.base_url,
        }
        with gateway(env, "--upstream", upstream) as (_, port, printed):
            assert f"# Behind it: {title}, " in printed
            with asked(port, "a-key-of-mine") as response:
                assert b"You said: hello" in response.read()
        assert emulator.requests[-1].path.startswith(path)


def test_without_a_credential_it_says_how_to_get_one_and_does_not_start() -> None:
    told = subprocess.run(
        [sys.executable, "-m", "groundwire", "gateway", "--port", "0"],
        capture_output=True,
        encoding="utf-8",
        timeout=20,
        check=False,
    )
    assert told.returncode == 3
    assert "GEMINI_API_KEY" in told.stderr
    assert not told.stdout


def test_a_port_that_is_taken_is_told() -> None:
    with served() as emulator, gateway(emulator.env()) as (_, port, _):
        told = subprocess.run(
            [sys.executable, "-m", "groundwire", "gateway", "--port", str(port)],
            env={**os.environ, **emulator.env()},
            capture_output=True,
            encoding="utf-8",
            timeout=20,
            check=False,
        )
        assert told.returncode == 2
        assert f"127.0.0.1:{port}" in told.stderr
        assert "--port" in told.stderr


def test_stopping_waits_for_a_stream_to_finish() -> None:
    with served("slow-drip") as emulator:
        env = {**emulator.env(), "GROUNDWIRE_GATEWAY_KEY": "a-key-of-mine"}
        with gateway(env) as (running, port, _):
            with asked(port, "a-key-of-mine", STREAM) as response:
                response.read(1)
                running.send_signal(signal.SIGTERM)
                assert b'"finishReason":"STOP"' in response.read()
            _, complaints = running.communicate(timeout=20)
            assert running.returncode == 0
            assert "Stopping when one answer comes to an end." in complaints


def test_a_second_signal_ends_at_once() -> None:
    with served("slow-drip") as emulator:
        env = {**emulator.env(), "GROUNDWIRE_GATEWAY_KEY": "a-key-of-mine"}
        with gateway(env) as (running, port, _):
            assert running.stderr is not None
            with asked(port, "a-key-of-mine", STREAM) as response:
                response.read(1)
                running.send_signal(signal.SIGINT)
                assert "Ctrl-C again" in running.stderr.readline()
                running.send_signal(signal.SIGINT)
                with pytest.raises((http.client.IncompleteRead, ConnectionError)):
                    response.read()
            assert running.wait(timeout=20) == 0


def test_the_debug_log_is_there_when_it_is_asked_for() -> None:
    with served() as emulator:
        env = {**emulator.env(), "GROUNDWIRE_GATEWAY_KEY": "a-key-of-mine", "OPENCODE_GEMINI_DEBUG": "1"}
        with gateway(env) as (running, port, _):
            with asked(port, "a-key-of-mine") as response:
                response.read()
            _, log = stop(running)
    assert f"> POST {GENERATE}" in log
    assert "You said: hello" in log
    assert "a-key-of-mine" not in log
    assert "emulator-gemini-key" not in log
