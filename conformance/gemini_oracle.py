"""The real Gemini CLI tools as a co-process: installed from npm on first use, asked call by call."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from conformance.installing import installed
from conformance.pins import PINS
from groundwire.tools.ripgrep import ripgrep_path

HERE = Path(__file__).resolve().parent
PEER = "gemini-cli-core"


def core_package() -> Path:
    """The folder of the real tools: the one `GEMINI_CORE` names, or installed now under `.conformance/`."""
    given = os.environ.get("GEMINI_CORE")
    if given:
        return Path(given)
    pin = PINS[PEER]
    return installed(PEER, pin, HERE.parent / ".conformance") / "node_modules" / pin.name


class Oracle:
    """A running Node.js process with the real tools."""

    def __init__(self, package: Path | None = None) -> None:
        self._process = subprocess.Popen(
            [
                "node",
                str(HERE / "gemini_tools.mjs"),
                "--core",
                str(package or core_package()),
                "--rg",
                ripgrep_path(),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def call(
        self, root: Path, tool: str, arguments: dict[str, Any], *, fresh: bool = False
    ) -> dict[str, Any]:
        """The real tool's result."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        request = {"root": str(root), "tool": tool, "args": arguments, "fresh": fresh}
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the oracle ended")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()

    def __enter__(self) -> Oracle:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
