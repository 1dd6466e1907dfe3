"""What is written down of a run: a line for each finished attempt, never changed, and files made from them.

`results.jsonl` is appended to and synced after each attempt, so that a run that is killed loses nothing that
was finished. A last line that was cut in the middle counts as not written.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

import msgspec

from groundwire.errors import EvaluationFailed
from groundwire.evaluation.sandbox.isolated import Stopped

RESULTS, SETTINGS, PREDICTIONS, TRANSCRIPTS = "results.jsonl", "run.json", "predictions", "transcripts"


LONGEST_SLUG = 180


class Status(StrEnum):
    """How an attempt came out."""

    RESOLVED = "resolved"
    UNRESOLVED = "unresolved"
    STOPPED = "stopped"
    """Its tests broke a limit."""
    ERROR = "error"
    """It could not be made, or the model could not be asked: nothing is known of its toolset."""


class Key(NamedTuple):
    """What makes an attempt one."""

    task: str
    toolset: str
    model: str

    @property
    def slug(self) -> str:
        """The key as part of a file's name, which no system takes at any length."""
        name = "--".join(self).replace("/", "_").replace(":", "_")
        if len(name) <= LONGEST_SLUG:
            return name
        return f"{name[:LONGEST_SLUG]}-{hashlib.sha256(name.encode()).hexdigest()[:12]}"


class Result(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One finished attempt."""

    key: Key
    status: Status
    ending: str = ""
    """How the agent ended; see `agent.outcome`."""
    reason: str = ""
    turns: int = 0
    calls: int = 0
    edits: int = 0
    """Calls that were meant to change a file."""
    edit_failures: int = 0
    """Those of them that gave an error."""
    tool_errors: dict[str, int] = {}
    """How often each type of error came."""
    tokens_given: int = 0
    tokens_made: int = 0
    cost: float | None = None
    """In US dollars; None when the model's price is not known."""
    seconds: float = 0.0
    """How long the agent worked."""
    test_seconds: float = 0.0
    failed_tests: tuple[str, ...] = ()
    stopped: Stopped | None = None
    test_output: str = ""
    isolation: tuple[str, ...] = ()
    patch: str = ""
    as_reference: bool | None = None
    """Whether the files are what the reference fix makes of them, byte for byte."""

    @property
    def resolved(self) -> bool:
        """Whether the task is solved."""
        return self.status is Status.RESOLVED

    @property
    def was_made(self) -> bool:
        """Whether it says anything about its toolset: what could not be made is tried again, not counted."""
        return self.status is not Status.ERROR

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.tokens_given + self.tokens_made

    def told_apart_from_time(self) -> dict[str, object]:
        """Everything but how long it took: the same attempt gives the same on every machine."""
        told: dict[str, object] = msgspec.to_builtins(self)
        return {
            name: value
            for name, value in told.items()
            if name not in ("seconds", "test_seconds", "test_output")
        }


def read_results(folder: Path) -> dict[Key, Result]:
    """The finished attempts of a run; the last line about an attempt counts."""
    try:
        data = (folder / RESULTS).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise EvaluationFailed(f"{folder / RESULTS} cannot be read: {error.strerror}.") from None
    found: dict[Key, Result] = {}
    lines = data.split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        try:
            result = msgspec.json.decode(line, type=Result)
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            if number == len(lines):  # cut in the middle of writing
                break
            raise EvaluationFailed(f"{folder / RESULTS}, line {number} cannot be read: {error}.") from error
        found[result.key] = result
    return found


class ResultLog:
    """Appends results, each written as a whole before the next."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / RESULTS
        self._mend()

    def append(self, result: Result) -> None:
        """Write one result and wait until the disk has it."""
        with open(self._path, "ab") as file:
            file.write(msgspec.json.encode(result) + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def _mend(self) -> None:
        """Take away a last line that was cut in the middle."""
        if self._path.exists():
            data = self._path.read_bytes()
            whole = data[: data.rfind(b"\n") + 1]
            if whole != data:
                self._path.write_bytes(whole)


def write_predictions(folder: Path, results: Iterable[Result]) -> list[Path]:
    """The patches in the format of the official SWE-bench harness, a file for each model and toolset.

    The harness takes one prediction for an instance, hence the files. An attempt that could not be made is
    left out: an empty patch would count as an answer.
    """
    place = folder / PREDICTIONS
    place.mkdir(parents=True, exist_ok=True)
    lines: dict[str, list[bytes]] = {}
    for result in sorted((one for one in results if one.was_made), key=lambda result: result.key):
        name = f"{result.key.model}+{result.key.toolset}"
        line = {
            "instance_id": result.key.task,
            "model_name_or_path": name,
            "model_patch": result.patch,
        }
        lines.setdefault(name, []).append(msgspec.json.encode(line) + b"\n")
    written = []
    for name, each in lines.items():
        path = place / f"{name.replace('/', '_').replace(':', '_')}.jsonl"
        path.write_bytes(b"".join(each))
        written.append(path)
    (folder / "predictions.jsonl").write_bytes(b"".join(line for each in lines.values() for line in each))
    return written
