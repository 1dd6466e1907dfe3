"""Runs groundwire's tools and Gemini CLI's on the same generated workspaces and compares them call by call.

    python -m conformance.tools_differential [--calls 2000] [--seed 0] [--tool NAME] [--verbose]

Needs node and npm (the real tools are installed into .conformance/ on first use, or GEMINI_CORE names them).
Hypothesis chooses the workspaces and the calls. Every difference must be explained by tools_allowed.py; when
one is not, the shortest list of calls that leads to it is shown, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from conformance.gemini_oracle import Oracle
from conformance.tools_allowed import REWRITES, Case, explanation
from conformance.tools_generator import build, calls
from groundwire.tools.toolset import toolset

LONGEST = 40
"""Calls on one workspace."""
NUMBERS = st.integers(0, 2**32)


class UnexplainedError(Exception):
    """The tools differ and no rule says why."""


@dataclass
class Comparison:
    """What was compared so far."""

    oracle: Oracle
    folder: Path
    only: str | None
    verbose: bool
    done: int = 0
    failed: bool = False
    explained: Counter[str] = field(default_factory=Counter)

    def compare(self, workspace: int, asked: list[int]) -> None:
        """Make the calls on a fresh workspace on both sides. Raises UnexplainedError."""
        with tempfile.TemporaryDirectory(dir=self.folder) as place:
            for case in self._cases(Path(place), workspace, asked):
                self.done += 1
                if not different(case):
                    continue
                rule = explanation(case)
                if rule is None:
                    self.failed = True
                    raise UnexplainedError(report(case, "UNEXPLAINED"))
                self.explained[rule.name] += 1
                if self.verbose:
                    print(report(case, rule.name))

    def _cases(self, place: Path, workspace: int, asked: list[int]) -> Iterator[Case]:
        """Calls on both sides. What a call wrote differently is evened out."""
        ours, theirs = place / "ours", place / "real"
        for root in (ours, theirs):
            root.mkdir()
            build(root, Random(workspace))
        same_times(ours, theirs)
        tools = toolset(ours)
        for number in asked:
            [(tool, arguments)] = calls(ours, Random(number), 1)
            if self.only and tool != self.only:
                continue
            before = contents(ours)
            mine = plain(tools.call_now(tool, arguments).to_json(), ours)
            real = self.oracle.call(theirs, tool, moved(arguments, ours, theirs), fresh=True)
            real.pop("took")
            if tool in ("write_file", "replace"):
                mine["files"], real["files"] = changes(before, ours), changes(before, theirs)
                level(ours, theirs)
            yield Case(ours, tool, plain(arguments, ours), mine, rewritten(plain(real, theirs)), before)


def main() -> int:
    """Compare, print what was found, and say whether all of it is explained."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tool", help="only calls of this tool")
    parser.add_argument("--verbose", action="store_true", help="show explained differences too")
    options = parser.parse_args()
    unexplained = 0
    with Oracle() as oracle, tempfile.TemporaryDirectory(prefix="groundwire-") as folder:
        comparison = Comparison(oracle, Path(folder), options.tool, options.verbose)
        try:
            compare_generated(comparison, options.calls, options.seed)
        except UnexplainedError as difference:
            unexplained = 1
            print(difference)
    for name, count in comparison.explained.most_common():
        print(f"{count:6}  {name}")
    done, explained = comparison.done, sum(comparison.explained.values())
    print(f"{done} calls, {explained} explained differences, {unexplained} unexplained")
    return 1 if unexplained else 0


def compare_generated(comparison: Comparison, most: int, seed_number: int) -> None:
    """Let hypothesis choose workspaces and calls; of a difference it finds the shortest way to it."""

    @seed(seed_number)
    @settings(
        max_examples=most,
        phases=(Phase.generate, Phase.shrink),
        database=None,
        deadline=None,
        derandomize=False,
        print_blob=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(workspace=NUMBERS, asked=st.lists(NUMBERS, min_size=1, max_size=LONGEST))
    def compare(workspace: int, asked: list[int]) -> None:
        if comparison.done < most or comparison.failed:  # a failure is made shorter, however long that takes
            comparison.compare(workspace, asked)

    compare()


def same_times(ours: Path, theirs: Path) -> None:
    """Give both copies the same times, all older than a day except a few."""
    for path in sorted(ours.rglob("*")):
        relative = path.relative_to(ours)
        moment = 1_600_000_000 + Random(str(relative)).randint(0, 10**7)
        for root in (ours, theirs):
            os.utime(root / relative, (moment, moment), follow_symlinks=False)


def contents(root: Path) -> dict[str, bytes]:
    """Every file below the root."""
    files = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def changes(before: dict[str, bytes], root: Path) -> dict[str, str]:
    """What is not as it was before."""
    now = contents(root)
    return {path: repr(now.get(path)) for path in {*before, *now} if before.get(path) != now.get(path)}


def level(ours: Path, theirs: Path) -> None:
    """Make the other copy like ours again, so that one difference is counted once."""
    wanted, present = contents(ours), contents(theirs)
    for path in present.keys() - wanted.keys():
        (theirs / path).unlink()
    for path, data in wanted.items():
        if present.get(path) != data:
            (theirs / path).parent.mkdir(parents=True, exist_ok=True)
            (theirs / path).write_bytes(data)
        moment = (ours / path).lstat().st_mtime
        os.utime(theirs / path, (moment, moment), follow_symlinks=False)


def moved(arguments: dict[str, Any], ours: Path, theirs: Path) -> dict[str, Any]:
    """The arguments for the other root."""
    copy: dict[str, Any] = json.loads(json.dumps(arguments).replace(str(ours), str(theirs)))
    return copy


def plain(value: Any, root: Path) -> Any:
    """The value as JSON has it, the root written ROOT."""
    if isinstance(value, str):
        return str(value).replace(str(root), "ROOT")
    if isinstance(value, dict):
        return {key: plain(item, root) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, root) for item in value]
    return value


def rewritten(answer: dict[str, Any]) -> dict[str, Any]:
    """The real answer after the rewrites that always hold."""
    for rewrite in REWRITES:
        answer = rewrite(answer)
    return answer


def different(case: Case) -> bool:
    """Whether the two answers are not the same."""
    if (case.theirs["error"] or {}).get("type") == "invalid_tool_params":
        return bool(case.ours["error"] != case.theirs["error"])
    return case.ours != case.theirs


def report(case: Case, verdict: str) -> str:
    """The difference, for a person."""
    lines = [f"{verdict}: {case.tool} {json.dumps(case.arguments, ensure_ascii=False)[:300]}"]
    for key in case.theirs:
        if case.ours.get(key) != case.theirs[key]:
            lines.append(f"  {key}")
            lines.append(f"    ours {json.dumps(case.ours.get(key))[:600]}")
            lines.append(f"    real {json.dumps(case.theirs[key])[:600]}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
