"""Runs groundwire's tools and Gemini CLI's on the same generated workspaces and compares them call by call.

    python -m conformance.tools_differential [--calls 2000] [--seed 0] [--tool NAME] [--verbose]

Needs node and npm (the real tools are installed into .conformance/ on first use, or GEMINI_CORE names them).
Every difference must be explained by tools_allowed.py; exits 1 when one is not.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from conformance.gemini_oracle import Oracle
from conformance.tools_allowed import REWRITES, Case, explanation
from conformance.tools_generator import build, calls
from groundwire.tools.toolset import toolset

CALLS_PER_WORKSPACE = 20


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
    explained: Counter[str] = Counter()
    done = unexplained = 0
    with Oracle() as oracle, tempfile.TemporaryDirectory(prefix="groundwire-") as folder:
        for case in cases(oracle, Path(folder), options.seed, options.tool):
            done += 1
            if different(case):
                rule = explanation(case)
                if rule is None:
                    unexplained += 1
                else:
                    explained[rule.name] += 1
                if rule is None or options.verbose:
                    print(report(case, rule.name if rule else "UNEXPLAINED"))
            if done >= options.calls:
                break
    for name, count in explained.most_common():
        print(f"{count:6}  {name}")
    print(f"{done} calls, {sum(explained.values())} explained differences, {unexplained} unexplained")
    return 1 if unexplained else 0


def cases(oracle: Oracle, folder: Path, seed: int, only: str | None) -> Iterator[Case]:
    """Calls on both sides, workspace after workspace. What a call wrote differently is evened out."""
    while True:
        ours, theirs = folder / f"{seed}" / "ours", folder / f"{seed}" / "real"
        for root in (ours, theirs):
            root.mkdir(parents=True)
            build(root, Random(seed))
        same_times(ours, theirs)
        tools = toolset(ours)
        for tool, arguments in calls(ours, Random(seed + 1_000_000), CALLS_PER_WORKSPACE):
            if only and tool != only:
                continue
            before = contents(ours)
            mine = plain(tools.call_now(tool, arguments).to_json(), ours)
            real = oracle.call(theirs, tool, moved(arguments, ours, theirs), fresh=True)
            real.pop("ms")
            if tool in ("write_file", "replace"):
                mine["files"], real["files"] = changes(before, ours), changes(before, theirs)
                level(ours, theirs)
            yield Case(ours, tool, plain(arguments, ours), mine, rewritten(plain(real, theirs)), before)
        shutil.rmtree(folder / f"{seed}")
        seed += 1


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
