"""The proxies that the gateway is measured against: installed under .bench/, each started as a process."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
PLACE = HERE.parent / ".bench"
KEY = "the-key-of-the-benchmark"
NODE_PROXY = "1.18.1"
LITELLM = "1.101.6"
STARLETTE = ("starlette==1.10.0", "httpx==0.28.1", "uvicorn==0.54.0", "uvloop==0.23.0", "httptools==0.9.0")
VERSIONS = {"node http-proxy": NODE_PROXY, "LiteLLM": LITELLM, "Starlette": "1.10.0", "httpx": "0.28.1"}
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Proxy:
    """A running proxy."""

    name: str
    port: int
    pids: tuple[int, ...]
    slow: bool = False
    """Whether it takes seconds for what the others do at once: then it is measured in fewer rounds."""
    prefix: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)

    def path(self, method: str, events: int = 0) -> str:
        """Where a model is asked; the model's name tells the upstream how long a stream to send."""
        model = f"stream-{events}" if events else "gemini-2.5-flash"
        query = "?alt=sse" if events else ""
        return f"{self.prefix}/v1beta/models/{model}:{method}{query}"

    def cpu_seconds(self) -> float:
        """The CPU time it has used."""
        return sum(_cpu_seconds(pid) for pid in self.pids)

    def megabytes(self) -> float:
        """The memory it holds."""
        return sum(_megabytes(pid) for pid in self.pids)


class Peers:
    """Starts proxies in front of one upstream; leaving its `stack` ends them."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._upstream = free_port()
        self._start([sys.executable, "-m", "bench.gateway_upstream", str(self._upstream)], self._upstream)

    def bare(self) -> Proxy:
        """The upstream itself: what there is to lose."""
        return Proxy("no proxy", self._upstream, ())

    def groundwire(self, upstream: str = "api-key") -> Proxy:
        """The gateway as a user starts it."""
        port, home = free_port(), PLACE / "gateway-home"
        home.mkdir(parents=True, exist_ok=True)
        address = f"http://127.0.0.1:{self._upstream}"
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "GROUNDWIRE_GATEWAY_KEY": KEY,
            "GEMINI_API_KEY": "upstream-key",
            "GOOGLE_GEMINI_BASE_URL": address,
            "CODE_ASSIST_ENDPOINT": address,
            "GOOGLE_GENAI_USE_GCA": "true",
            "GOOGLE_CLOUD_ACCESS_TOKEN": "ya29.benchmark",
            "GOOGLE_CLOUD_PROJECT": "benchmark",
        }
        words = [sys.executable, "-m", "groundwire", "gateway", "--port", str(port), "--upstream", upstream]
        pid = self._start(words, port, env)
        return Proxy("groundwire" if upstream == "api-key" else f"groundwire ({upstream})", port, (pid,))

    def node(self) -> Proxy | None:
        """node http-proxy, or None where there is no npm."""
        folder = PLACE / "node-http-proxy"
        if not (folder / "node_modules" / "http-proxy").is_dir():
            if not shutil.which("npm"):
                return None
            folder.mkdir(parents=True, exist_ok=True)
            words = ["npm", "install", "--no-audit", "--no-fund", "--silent", f"http-proxy@{NODE_PROXY}"]
            (folder / "package.json").write_text('{"private": true}\n', encoding="utf-8")
            if subprocess.run(words, cwd=folder, check=False, capture_output=True).returncode:
                return None
        port = free_port()
        env = {**os.environ, "NODE_PATH": str(folder / "node_modules"), "NODE_ENV": "production"}
        pid = self._start(["node", str(HERE / "gateway_node.js"), str(port), str(self._upstream)], port, env)
        return Proxy("node http-proxy", port, (pid,))

    def starlette(self) -> Proxy | None:
        """The forwarder on Starlette and httpx."""
        python = _environment("starlette-httpx", STARLETTE)
        if python is None:
            return None
        port = free_port()
        pid = self._start(
            [str(python), str(HERE / "gateway_starlette.py"), str(port), str(self._upstream)], port
        )
        return Proxy("Starlette + httpx", port, (pid,))

    def litellm(self) -> Proxy | None:
        """LiteLLM's proxy, asked for Gemini's own form."""
        python = _environment("litellm", (f"litellm[proxy]=={LITELLM}",))
        if python is None:
            return None
        port, config = free_port(), PLACE / "litellm.yaml"
        config.write_text(_LITELLM_CONFIG.format(upstream=self._upstream, key=KEY), encoding="utf-8")
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(PLACE / "gateway-home"),
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "LITELLM_LOG": "ERROR",
            "NO_PROXY": "127.0.0.1",
        }
        words = [str(python.parent / "litellm"), "--config", str(config), "--host", "127.0.0.1"]
        pid = self._start([*words, "--port", str(port), "--telemetry", "False"], port, env, seconds=120)
        return Proxy("LiteLLM", port, (pid,), slow=True)

    def _start(
        self, words: list[str], port: int, env: Mapping[str, str] | None = None, seconds: float = 20
    ) -> int:
        log = (PLACE / "logs").resolve()
        log.mkdir(parents=True, exist_ok=True)
        file = self._stack.enter_context((log / f"gateway-{port}.log").open("wb"))
        process = subprocess.Popen(words, env=env, stdout=file, stderr=file)
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        end = time.monotonic() + seconds
        while time.monotonic() < end and process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return process.pid
            time.sleep(0.05)
        raise RuntimeError(f"{words[0]} did not start; see {file.name}")


_LITELLM_CONFIG = """\
model_list:
  - model_name: "*"
    litellm_params:
      model: "gemini/*"
      api_key: upstream-key
      api_base: http://127.0.0.1:{upstream}/v1beta
general_settings:
  master_key: {key}
litellm_settings:
  telemetry: false
"""


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def tried(start: Callable[[], Proxy | None], name: str) -> Proxy | None:
    """The proxy, or None with a line that says why it is not there."""
    try:
        proxy = start()
    except (RuntimeError, OSError) as reason:
        print(f"{name}: not run ({reason})")
        return None
    if proxy is None:
        print(f"{name}: not run (it could not be installed)")
    return proxy


def _environment(name: str, packages: tuple[str, ...]) -> Path | None:
    """The Python of an environment with these packages."""
    folder = PLACE / name
    stamp, wanted = folder / "installed.txt", "\n".join(packages)
    python = folder / "bin" / "python"
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != wanted:
        print(f"Installing {packages[0]} into .bench/{name} ...", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        make = [sys.executable, "-m", "venv", str(folder)]
        get = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
        for words in (make, get):
            if subprocess.run(words, check=False, capture_output=True).returncode:
                return None
        stamp.write_text(wanted, encoding="utf-8")
    return python


def _cpu_seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:  # not Linux
        return float("nan")
    return (int(fields[11]) + int(fields[12])) / CLOCK_TICKS


def _megabytes(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return float("nan")
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))
