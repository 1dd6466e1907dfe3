"""The proxies that the gateway is measured against, each started as a process in front of one upstream."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from bench.peers import Peers

HERE = Path(__file__).parent
PLACE = HERE.parent / ".bench"
KEY = "the-key-of-the-benchmark"
OURS = "groundwire"
NODE = "node http-proxy"
STARLETTE = "Starlette + httpx"
LITELLM = "LiteLLM"
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


class DidNotStart(Exception):
    """Why a proxy is not measured."""


class Proxies:
    """Starts proxies in front of one upstream; leaving its `stack` ends them."""

    def __init__(self, stack: ExitStack, peers: Peers) -> None:
        self._stack = stack
        self._peers = peers
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
        return Proxy(OURS if upstream == "api-key" else f"{OURS} ({upstream})", port, (pid,))

    def others(self) -> list[Proxy]:
        """The peers that can be installed and started."""
        started = []
        for name, start in ((NODE, self.node), (STARLETTE, self.starlette), (LITELLM, self.litellm)):
            try:
                proxy = start()
            except DidNotStart as reason:
                self._peers.leave_out(name, str(reason))
            else:
                started += [proxy] if proxy else []
        return started

    def node(self) -> Proxy | None:
        """node http-proxy."""
        folder = self._peers.place("http-proxy", NODE)
        if folder is None:
            return None
        port = free_port()
        env = {**os.environ, "NODE_PATH": str(folder / "node_modules"), "NODE_ENV": "production"}
        pid = self._start(["node", str(HERE / "gateway_node.js"), str(port), str(self._upstream)], port, env)
        return Proxy(NODE, port, (pid,))

    def starlette(self) -> Proxy | None:
        """The forwarder on Starlette and httpx."""
        folder = self._peers.place("starlette", STARLETTE)
        if folder is None:
            return None
        port = free_port()
        python = str(folder / "bin" / "python")
        pid = self._start([python, str(HERE / "gateway_starlette.py"), str(port), str(self._upstream)], port)
        return Proxy(STARLETTE, port, (pid,))

    def litellm(self) -> Proxy | None:
        """LiteLLM's proxy, asked for Gemini's own form."""
        folder = self._peers.place("litellm", LITELLM)
        if folder is None:
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
        words = [str(folder / "bin" / "litellm"), "--config", str(config), "--host", "127.0.0.1"]
        pid = self._start([*words, "--port", str(port), "--telemetry", "False"], port, env, seconds=120)
        return Proxy(LITELLM, port, (pid,), slow=True)

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
        raise DidNotStart(f"it did not start; see .bench/logs/gateway-{port}.log")


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
