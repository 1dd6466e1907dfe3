"""The real Gemini CLI tools as a co-process: installed from npm on first use, asked call by call."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from groundwire.tools.ripgrep import ripgrep_path

HERE = Path(__file__).resolve().parent
PACKAGE = "@google/gemini-cli-core"
VERSION = "0.61.0"


def installed(folder: Path | None = None) -> Path:
    """The folder of the package; `GEMINI_CORE` names one that is installed already."""
    given = os.environ.get("GEMINI_CORE")
    if given:
        return Path(given)
    target = folder or HERE.parent / ".conformance" / "gemini-cli-core"
    package = target / "node_modules" / PACKAGE
    if not package.is_dir():
        npm = shutil.which("npm")
        if npm is None:
            raise SystemExit("npm is needed to install Gemini CLI's tools; set GEMINI_CORE to skip this.")
        target.mkdir(parents=True, exist_ok=True)
        command = [npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(target)]
        subprocess.run([*command, f"{PACKAGE}@{VERSION}"], check=True)
    return package


class Oracle:
    """A running Node.js process with the real tools."""

    def __init__(self, package: Path | None = None) -> None:
        self._process = subprocess.Popen(
            [
                "node",
                str(HERE / "gemini_tools.mjs"),
                "--core",
                str(package or installed()),
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
