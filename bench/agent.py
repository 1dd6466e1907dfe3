"""What a turn of the agent costs beside the model, and how that grows: 200 turns, recorded in a session.

    python -m bench.agent [--turns 200] [--rounds 5]

The model is a transport that answers at once, so the time from the end of one reply to the next request is
all ours: reading the reply, the tool calls, the transcript and the journal (flushed to the disk before each
write), the history as JSON. A turn reads a file, edits one, or searches. Each round is a process of its own;
rounds with and without a session alternate. The goals are held against the round that other programs
disturbed least, by its median.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec

from bench.results import Curve, Row, Spread, finish

MOST_MS = 5.0
"""The goal for a turn."""
MOST_GROWTH_MB = 8.0
"""The goal for the memory from turn 50 to the last, the history included."""
WARM_UP = 10
"""Turns that load modules and start threads."""
KINDS = ("reads a file", "edits a file", "searches")
STEP = 10
"""Turns between two points of a curve."""
LINE = "value_{number} = {number}  # a line of an ordinary file, as long as such lines are\n"


class Instant:
    """A transport in whose place a model would be: it answers at once, and notes when it is asked."""

    def __init__(self, turns: int) -> None:
        self._turns = turns
        self._answered = 0.0
        self.overheads: list[float] = []
        self.memory: list[float] = []
        self.request_bytes = 0

    async def send(self, request: Any) -> Any:
        """The next reply."""
        from groundwire.transport.base import Response

        now = time.perf_counter()
        if self._answered:
            self.overheads.append((now - self._answered) * 1e3)
        self.memory.append(resident())
        self.request_bytes = len(request.body)
        turn = len(self.memory)
        return Response(200, {"content-type": "text/event-stream"}, self._chunks(turn))

    async def _chunks(self, turn: int) -> AsyncIterator[bytes]:
        parts = [{"text": "Done."}] if turn > self._turns else [{"functionCall": call_of(turn)}]
        usage = {"promptTokenCount": 1000, "totalTokenCount": 1020}
        candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
        document = msgspec.json.encode({"candidates": [candidate], "usageMetadata": usage})
        self._answered = time.perf_counter()
        yield b"data: " + document + b"\r\n\r\n"


def call_of(turn: int) -> dict[str, Any]:
    """What the model calls in a turn: reading, editing and searching take turns."""
    if turn % 3 == 0:
        return {"name": "read_file", "args": {"file_path": f"file{turn % 20}.py"}}
    if turn % 3 == 1:
        old, new = f"value_{turn} = {turn} ", f"value_{turn} = {turn + 1} "
        edit = {"instruction": "Count on.", "old_string": old, "new_string": new}
        return {"name": "replace", "args": {"file_path": "edited.py", **edit}}
    return {"name": "grep_search", "args": {"pattern": f"value_{turn} ", "include_pattern": "file1.py"}}


def must_work(event: object) -> None:
    """A call that fails would cost less than it should."""
    assert getattr(event, "ok", True), event


def resident() -> float:
    """The memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def one_round(turns: int, *, with_session: bool) -> dict[str, Any]:
    """Run the agent; what each turn cost, and the memory at each."""
    from groundwire.agent.loop import Agent
    from groundwire.agent.model import GeminiModel
    from groundwire.agent.session_store import SessionStore
    from groundwire.agent.tally import Limits

    with tempfile.TemporaryDirectory(prefix="groundwire-bench-") as folder:
        root = Path(folder) / "workspace"
        root.mkdir()
        for number in range(20):
            text = "".join(LINE.format(number=line) for line in range(30))
            (root / f"file{number}.py").write_text(text, encoding="utf-8")
        text = "".join(LINE.format(number=line) for line in range(turns + 2))
        (root / "edited.py").write_text(text, encoding="utf-8")
        store = SessionStore(Path(folder) / "sessions")
        session = store.create(root=root, model="gemini-3-flash") if with_session else None
        transport = Instant(turns)
        agent = Agent(
            model=GeminiModel("gemini-3-flash", lambda: transport),
            workspace=root,
            approve="yolo",
            limits=Limits(turns=turns + 1),
            session=session,
            tell=must_work,
        )
        before = time.process_time()
        outcome = await agent.run("Work.")
        processor = (time.process_time() - before) / turns * 1e3
        assert (outcome.ending, outcome.turns) == ("done", turns + 1), outcome.reason
        size = session.path.stat().st_size if session else 0
        if session:
            session.close()
    return {
        "overheads": transport.overheads,
        "processor": processor,
        "memory": transport.memory,
        "request": transport.request_bytes,
        "transcript": size,
    }


def in_process(turns: int, *, with_session: bool) -> dict[str, Any]:
    """One round in a process of its own."""
    words = ["--turns", str(turns), "--child", "session" if with_session else "plain"]
    told = subprocess.run([sys.executable, "-m", "bench.agent", *words], capture_output=True, check=True)
    found: dict[str, Any] = msgspec.json.decode(told.stdout)
    return found


def over_turns(rounds: list[list[float]]) -> list[tuple[float, float]]:
    """The points of a curve: the median of some turns, over all rounds."""
    last = min(map(len, rounds))
    return [
        (end, statistics.median(value for values in rounds for value in values[end - STEP : end]))
        for end in range(STEP, last + 1, STEP)
    ]


def main() -> int:
    """Measure, print, keep, and say whether the goals were reached."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--child", choices=("session", "plain"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        found = asyncio.run(one_round(options.turns, with_session=options.child == "session"))
        sys.stdout.buffer.write(msgspec.json.encode(found))
        return 0
    recorded, plain = [], []
    for _ in range(options.rounds):
        recorded.append(in_process(options.turns, with_session=True))
        plain.append(in_process(options.turns, with_session=False))
    return report(options.turns, recorded, plain)


def least_disturbed(rounds: list[dict[str, Any]]) -> dict[str, Any]:
    """The round with the lowest median."""
    return min(rounds, key=lambda one: statistics.median(one["overheads"][WARM_UP:]))


def _row_of_kind(kind: str, rest: int, recorded: list[dict[str, Any]], plain: list[dict[str, Any]]) -> Row:
    """The row of the turns that read, edit or search; the cost of turn n is the n-th that was measured."""

    def of(rounds: list[dict[str, Any]]) -> list[float]:
        return [
            value
            for one in rounds
            for turn, value in enumerate(one["overheads"], start=1)
            if turn % 3 == rest and turn > WARM_UP
        ]

    ours = of(recorded)
    return Row(
        f"a turn that {kind}",
        "ms",
        Spread.of(ours),
        {"without a session": Spread.of(of(plain))},
    )


def report(turns: int, recorded: list[dict[str, Any]], plain: list[dict[str, Any]]) -> int:
    """Print and keep what was measured; 1 when a goal was missed."""
    all_recorded, all_plain = recorded, plain
    recorded, plain = [least_disturbed(recorded)], [least_disturbed(plain)]
    overheads, without = recorded[0]["overheads"][WARM_UP:], plain[0]["overheads"][WARM_UP:]
    last = recorded[0]["overheads"][-turns // 4 :]
    growth = [one["memory"][-1] - one["memory"][turns // 4] for one in all_recorded]
    rows = [
        Row(
            "a turn beside the model, with a session",
            "ms",
            Spread.of(overheads),
            {"without a session": Spread.of(without)},
            f"median under {MOST_MS:g} ms",
            statistics.median(overheads) < MOST_MS,
        ),
        *(_row_of_kind(kind, rest, recorded, plain) for rest, kind in enumerate(KINDS)),
        Row(
            f"the last quarter of {turns} turns",
            "ms",
            Spread.of(last),
            {},
            f"median under {MOST_MS:g} ms",
            statistics.median(last) < MOST_MS,
        ),
        Row(
            "processor time of a turn, all of them together",
            "ms",
            Spread.of([one["processor"] for one in all_recorded]),
            {"without a session": Spread.of([one["processor"] for one in all_plain])},
        ),
        Row(
            f"memory from turn {turns // 4} to turn {turns}",
            "MB",
            Spread.of(growth),
            {},
            f"at most {MOST_GROWTH_MB:g} MB",
            statistics.median(growth) <= MOST_GROWTH_MB,
        ),
    ]
    slowest = sorted(overheads)[int(len(overheads) * 0.99)]
    request, transcript = recorded[0]["request"] / 1e3, recorded[0]["transcript"] / 1e3
    print(
        f"99 % of turns under {slowest:.1f} ms; last request {request:.0f} kB, transcript {transcript:.0f} kB"
    )
    lines = {
        "groundwire": over_turns([one["overheads"] for one in all_recorded]),
        "without a session": over_turns([one["overheads"] for one in all_plain]),
    }
    memory = {
        "groundwire": over_turns([one["memory"] for one in all_recorded]),
        "without a session": over_turns([one["memory"] for one in all_plain]),
    }
    curves = [
        Curve("agent-over-turns", "A turn of the agent beside the model", "turn", "ms", lines, False),
        Curve("agent-memory", "Memory of the agent", "turn", "MB", memory, False),
    ]
    return finish("agent", rows, curves)


if __name__ == "__main__":
    sys.exit(main())
