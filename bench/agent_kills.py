"""Kills runs of the agent at random moments and resumes them: all must end in the same workspace.

    python -m bench.agent_kills [--trials 120] [--seed 0]

`groundwire run` works, in a process of its own, with a model behind HTTP: a small server here, written for
this alone, whose reply follows from the history it is sent, as a real model's does. It is killed (SIGKILL) a
random time after a random request; then `groundwire run --resume` goes on, and in every third trial is killed
and resumed again. The workspace must hold the same bytes as after a run that nobody disturbed, with nothing
left lying around, and a command that the model ran must not have been run twice.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import Any

from bench.results import Row, Spread, finish

GROW = ("replace", {"file_path": "tally.txt", "old_string": "I\n", "new_string": "II\n"})
"""Done twice, it would show."""
BIG = "".join(f"{number} is a number of which there are many in this file\n" for number in range(20_000))
STORY: list[list[tuple[str, dict[str, Any]]]] = [
    [("read_file", {"path": "tally.txt"}), ("google_web_search", {"query": "weather"})],
    [GROW, ("write_file", {"file_path": "deep/er/new.txt", "content": "new\n"})],
    [("run_shell_command", {"command": "echo once >> commands.log"})],
    [("write_file", {"file_path": "big.txt", "content": BIG}), GROW],
    [("replace", {"file_path": "big.txt", "old_string": "7 is a number", "new_string": "8 is a number"})],
    [GROW, GROW, ("list_directory", {"path": "."})],
    [("write_file", {"file_path": "deep/er/new.txt", "content": "newer\n"}), GROW],
]
COMMANDS = "commands.log"
TALLY = b"I" * (1 + sum(turn.count(GROW) for turn in STORY)) + b"\n"
WORTH_KEEPING = 100
"""Trials from which on the result is kept as a measurement; the tests run a few."""


@dataclass
class Model:
    """The server's side: replies from the history alone, and counts the requests."""

    asked: int = 0
    arrived: threading.Condition = field(default_factory=threading.Condition)

    def reply(self, request: dict[str, Any]) -> dict[str, Any]:
        """What the model says to a request."""
        with self.arrived:
            self.asked += 1
            self.arrived.notify_all()
        if any("googleSearch" in tool for tool in request.get("tools", [])):
            return _candidate([{"text": "Sunny."}], {"groundingMetadata": GROUNDING})
        turn = sum(content["role"] == "model" for content in request["contents"])
        if turn >= len(STORY):
            return _candidate([{"text": "All done."}])
        return _candidate([{"functionCall": {"name": name, "args": args}} for name, args in STORY[turn]])

    def wait_for(self, count: int, process: subprocess.Popen[bytes]) -> None:
        """Wait until so many requests have come, or the process has ended."""
        with self.arrived:
            while self.asked < count and process.poll() is None:
                self.arrived.wait(0.02)


GROUNDING = {
    "webSearchQueries": ["weather"],
    "groundingChunks": [{"web": {"uri": "https://weather.example.org", "title": "weather.example.org"}}],
    "groundingSupports": [
        {"segment": {"startIndex": 0, "endIndex": 6, "text": "Sunny."}, "groundingChunkIndices": [0]}
    ],
}


def _candidate(parts: list[dict[str, Any]], more: dict[str, Any] | None = None) -> dict[str, Any]:
    content = {"role": "model", "parts": parts}
    candidate = {"content": content, "finishReason": "STOP", "index": 0, **(more or {})}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    return {"candidates": [candidate], "usageMetadata": usage}


def serve(model: Model) -> ThreadingHTTPServer:
    """The model behind HTTP on a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            body = json.dumps(model.reply(request)).encode()
            stream = "alt=sse" in self.path
            body = b"data: " + body + b"\r\n\r\n" if stream else body
            self.send_response(200)
            self.send_header("content-type", "text/event-stream" if stream else "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the base class calls it so)
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *details: None  # type: ignore[method-assign]  # a killed client hangs up
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


@dataclass
class Trials:
    """A place to run in, fresh for each trial."""

    folder: Path
    model: Model
    url: str
    deaths: Counter[str] = field(default_factory=Counter)
    """How often a run was killed right after an event of this kind."""

    @property
    def root(self) -> Path:
        """The workspace."""
        return self.folder / "workspace"

    def begin(self) -> None:
        """Make everything as it was before any run."""
        for name in ("workspace", "home"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
            (self.folder / name).mkdir()
        (self.root / "tally.txt").write_text("I\n", encoding="utf-8")
        self.model.asked = 0

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """Start `groundwire run` with these words."""
        home = str(self.folder / "home")
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "PYTHONPATH") if name in os.environ}
        env = {**kept, "HOME": home, "GEMINI_API_KEY": "k", "GOOGLE_GEMINI_BASE_URL": self.url}
        command = [sys.executable, "-m", "groundwire", "run", *words, "--approve", "yolo", "--shell"]
        return subprocess.Popen(
            command,
            cwd=self.root,
            env={**env, "NO_PROXY": "127.0.0.1", "PYTHONSAFEPATH": "1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def finish(self, process: subprocess.Popen[bytes]) -> str:
        """Wait for a run; what it complained about, when it did not end well."""
        _, complaint = process.communicate(timeout=120)
        return "" if process.returncode == 0 else complaint.decode("utf-8", "replace")

    def last_events(self) -> list[str]:
        """The kind of the last event in each transcript: where a run was interrupted."""
        transcripts = [path.read_bytes() for path in (self.folder / "home").rglob("*.jsonl")]
        whole = [text.rpartition(b"\n")[0].rpartition(b"\n")[2] for text in transcripts]
        return [str(json.loads(line)["type"]) for line in whole if line]

    def contents(self) -> dict[str, bytes]:
        """Every file of the workspace."""
        files = sorted(path for path in self.root.rglob("*") if path.is_file())
        return {str(path.relative_to(self.root)): path.read_bytes() for path in files}


def killed_and_resumed(trials: Trials, random: Random, *, again: bool, turn: float) -> str:
    """One trial; what went wrong with it, if anything did."""
    trials.begin()
    words: tuple[str, ...] = ("work",)
    for _ in range(2 if again else 1):
        process = trials.start(*words)
        trials.model.wait_for(trials.model.asked + random.randint(0, len(STORY) + 1), process)
        time.sleep(random.uniform(0, turn))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        ended_with = trials.last_events()
        trials.deaths.update(ended_with or ["nothing yet"])
        words = ("--resume",) if set(ended_with) - {"session"} else ("work",)
    if process.returncode == 0:  # it was faster than the kill
        return ""
    complaint = trials.finish(trials.start(*words))
    return "" if "has come to its end" in complaint else complaint


def judged(complaint: str, found: dict[str, bytes], expected: dict[str, bytes]) -> str:
    """What is wrong with the workspace after a trial; empty when nothing is."""
    commands = found.pop(COMMANDS, b"")
    if complaint:
        return complaint
    if commands not in (b"", b"once\n"):
        return f"the command ran {commands.count(b'once')} times"
    differing = [path for path in {*found, *expected} if found.get(path) != expected.get(path)]
    return f"other files than expected: {', '.join(sorted(differing))}" if differing else ""


def main() -> int:
    """Run the trials and say what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, default=120)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    random = Random(options.seed)
    model = Model()
    server = serve(model)
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="groundwire-kills-") as folder:
        trials = Trials(Path(folder), model, f"http://127.0.0.1:{server.server_port}")
        trials.begin()
        complaint = trials.finish(trials.start("work"))
        expected = trials.contents()
        if complaint or expected.pop(COMMANDS, b"") != b"once\n" or expected["tally.txt"] != TALLY:
            print(f"a run that nobody disturbed failed: {complaint}")
            return 1
        for number in range(options.trials):
            complaint = killed_and_resumed(trials, random, again=number % 3 == 2, turn=0.05)
            problem = judged(complaint, trials.contents(), expected)
            if problem:
                wrong += 1
                print(f"trial {number}: {problem}", file=sys.stderr)
    server.shutdown()
    server.server_close()
    after = ", ".join(f"{kind} {count}" for kind, count in trials.deaths.most_common())
    what = f"runs of the agent that came to another end, {options.trials} killed and resumed"
    row = Row(what, "runs", Spread.of([float(wrong)]), goal="none", reached=not wrong)
    note = f"The last event before each kill: {after}"
    print(note)
    return finish("agent_kills", [row], note=note, keep=options.trials >= WORTH_KEEPING)


if __name__ == "__main__":
    sys.exit(main())
