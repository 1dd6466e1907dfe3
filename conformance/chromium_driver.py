"""Drives a real Chromium without a window: open a page, read it, press on it, take its picture.

It speaks the DevTools protocol over a pair of pipes (`--remote-debugging-pipe`): JSON messages, each ended by
a zero byte; Chromium reads descriptor 3 and writes descriptor 4. Nothing is installed for that.
"""

from __future__ import annotations

import base64
import os
import select
import shlex
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--window-size=900,700",
    "--remote-debugging-pipe",
)
STEP_SECONDS = 30.0


class ChromiumBroke(Exception):
    """Chromium ended, did not answer in time, or answered with an error."""


class Chromium:
    """One browser with one page; a context manager."""

    def __init__(self, program: str, profile: Path, environment: Mapping[str, str], log: Path) -> None:
        self._program, self._profile, self._environment, self._log = program, profile, environment, log
        self._number = 0
        self._received = b""
        self._session: str | None = None

    def __enter__(self) -> Self:
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        words = [self._program, *FLAGS, f"--user-data-dir={self._profile}", "about:blank"]
        # The shell gives the pipes the numbers that Chromium expects.
        line = f"exec {shlex.join(words)} 3<&{theirs_in} 4>&{theirs_out}"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                ["bash", "-c", line],
                env=dict(self._environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(theirs_in, theirs_out),
                start_new_session=True,
            )
        os.close(theirs_in)
        os.close(theirs_out)
        page = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        self._call("Page.enable")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._out)
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(10)
        os.close(self._in)

    def open(self, address: str) -> None:
        """Go to a page."""
        self._call("Page.navigate", url=address)

    def value(self, expression: str) -> Any:
        """What a JavaScript expression gives on the page."""
        answer = self._call("Runtime.evaluate", expression=expression, returnByValue=True, userGesture=True)
        return answer["result"].get("value")

    def wait_for(self, expression: str) -> None:
        """Wait until an expression is true on the page, whichever page that is by then."""
        until = time.monotonic() + STEP_SECONDS
        while time.monotonic() < until:
            if self.value(f"Boolean({expression})"):
                return
            time.sleep(0.05)
        raise ChromiumBroke(
            f"not true after {STEP_SECONDS:.0f} s: {expression}; on {self.value('location.href')}"
        )

    def picture(self, file: Path) -> None:
        """A picture of what is visible."""
        shot = self._call("Page.captureScreenshot", format="png")["data"]
        file.write_bytes(base64.b64decode(shot))

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        try:
            os.write(self._out, msgspec.json.encode(message) + b"\0")
        except BrokenPipeError:
            raise ChromiumBroke(f"it ended before {method}; see {self._log}") from None
        while True:
            answer = self._next(method)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise ChromiumBroke(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result

    def _next(self, method: str) -> dict[str, Any]:
        until = time.monotonic() + STEP_SECONDS
        while b"\0" not in self._received:
            ready, _, _ = select.select([self._in], [], [], max(until - time.monotonic(), 0))
            if not ready:
                raise ChromiumBroke(f"no answer to {method} in {STEP_SECONDS:.0f} s; see {self._log}")
            chunk = os.read(self._in, 1 << 20)
            if not chunk:
                raise ChromiumBroke(f"it ended during {method}; see {self._log}")
            self._received += chunk
        message, _, self._received = self._received.partition(b"\0")
        decoded: dict[str, Any] = msgspec.json.decode(message)
        return decoded
