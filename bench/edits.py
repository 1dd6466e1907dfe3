"""The edit benchmark: real hunks, each with the mistakes models make, scored correct, wrong or refused.

    python -m bench.edits [REPOSITORY ...] [--packages FOLDER] [--hunks 2000] [--seed 1] [--peer-seconds 240]

The hunks come from the histories of repositories, or from the differences between releases of packages: two
each of eighteen, got from PyPI and npm into .bench/packages, unless other sources are named. Correct is the
file with the hunk applied and every other byte as it was; an exact match applied literally is correct as
well. In a trap the caller is mistaken about the file, and only a refusal is correct. The score of an editor
is the mean over the classes of mistakes. Other editors get the same cases in turns with ours, until their
time is over: one of them searches for seconds in a large file.
"""

from __future__ import annotations

import argparse
import itertools
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.edit_hunks import CONTEXT, Hunk, from_git, from_packages
from bench.edit_mistakes import MISTAKES, Case
from bench.edit_packages import fetched
from bench.edit_peers import Editor, other_editors
from bench.edit_traps import TRAPS
from bench.peers import Peers
from bench.results import Row, Spread, finish
from groundwire.tools.matching import Edit, Strategy, find_edit

WIDER_CONTEXT = 7
PEER_SECONDS = 240.0
OURS = "groundwire"

Scores = dict[str, Counter[str]]
"""By class of mistake: how many cases were correct, wrong, refused."""
Labelled = tuple[str, Hunk, Case]
"""A case with its class and the hunk it is made of."""


def groundwire(case: Case) -> tuple[str | None, bool]:
    """Our own matching."""
    outcome = find_edit(case.text, case.old, case.new)
    if not isinstance(outcome, Edit):
        return None, False
    return outcome.text, outcome.strategy is Strategy.EXACT and not outcome.undecorated


def score(case: Case, outcome: tuple[str | None, bool]) -> str:
    """Correct, wrong or refused."""
    text, exact = outcome
    if case.meant is None:
        return "correct" if text is None or text == case.text else "wrong"
    if text is None:
        return "refused"
    literal = exact and case.text.count(case.old) == 1 and text == case.text.replace(case.old, case.new)
    return "correct" if text == case.meant or literal else "wrong"


def cases(hunks: list[Hunk], seed: int) -> Iterator[Labelled]:
    """Every hunk with every mistake and trap that applies to it."""
    for at, hunk in enumerate(hunks):
        for name, mistake in itertools.chain(MISTAKES.items(), TRAPS.items()):
            case = mistake(hunk, random.Random(f"{seed} {at} {name}"))
            if case is not None:
                yield name, hunk, case


def collect(options: argparse.Namespace) -> list[Hunk]:
    """The hunks asked for; every fourth with a wider context, so that middles can be elided."""
    rng = random.Random(options.seed)
    sources: list[Iterator[Hunk]] = []
    for context in (CONTEXT, WIDER_CONTEXT):
        share = options.hunks * (3 if context == CONTEXT else 1) // 4
        found: list[Iterator[Hunk]] = [
            from_git(Path(repository), options.hunks, context, rng) for repository in options.repositories
        ]
        if options.packages:
            found.append(from_packages(Path(options.packages), context, rng))
        every = list(itertools.islice(itertools.chain(*found), options.hunks * 10))
        sources.append(iter(rng.sample(every, min(share, len(every)))))
    return list(itertools.chain(*sources))


def scored(
    editors: dict[str, Editor],
    every: list[Labelled],
    *,
    seconds: float = float("inf"),
    show: int = 0,
) -> dict[str, Scores]:
    """The scores of each editor by class of mistake; all get the same cases, as many as there is time for."""
    scores: dict[str, Scores] = {name: {} for name in editors}
    end = time.perf_counter() + seconds
    for kind, hunk, case in every:
        if time.perf_counter() > end:
            break
        for name, editor in editors.items():
            verdict = score(case, editor(case))
            scores[name].setdefault(kind, Counter())[verdict] += 1
            if verdict == "wrong" and show > 0:
                show -= 1
                print(f"--- wrong: {kind} in {hunk.path}\nOLD\n{case.old}\nNEW\n{case.new}")
    return scores


def mean_correct(scores: Scores) -> float:
    """The mean over the classes of mistakes of the share that was done correctly, in percent."""
    shares = [100 * counts["correct"] / counts.total() for name, counts in scores.items() if name in MISTAKES]
    return sum(shares) / len(shares) if shares else 0.0


def wrong_share(scores: Scores) -> float:
    """The share of all cases that were edited wrongly, in percent."""
    total = sum(counts.total() for counts in scores.values())
    return 100 * sum(counts["wrong"] for counts in scores.values()) / total if total else 0.0


def table(scores: dict[str, Scores]) -> str:
    """A line for each class: the cases, and for each editor the share of correct ones and the wrong ones."""
    lines = [f"{'correct %, wrong edits':<30}{'cases':>7}" + "".join(f"{name:>24}" for name in scores)]
    for kind in next(iter(scores.values())):
        counts = [one[kind] for one in scores.values()]
        cells = (f"{100 * c['correct'] / c.total():>15.1f}{c['wrong']:>9}" for c in counts)
        mark = "trap: " if kind in TRAPS else ""
        lines.append(f"{mark + kind:<30}{counts[0].total():>7}" + "".join(cells))
    return "\n".join(lines)


def main() -> int:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("repositories", nargs="*")
    parser.add_argument("--packages", help="a folder of PACKAGE/VERSION folders")
    parser.add_argument("--hunks", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=0, help="print this many wrong edits")
    parser.add_argument("--peer-seconds", type=float, default=PEER_SECONDS, help="for the other editors")
    options = parser.parse_args()
    if not options.repositories and not options.packages:
        options.packages = fetched(Path(".bench/packages"))
        options.repositories = [] if options.packages else ["."]
    hunks = collect(options)
    every = list(cases(hunks, options.seed))
    ours = scored({OURS: groundwire}, every, show=options.show)
    print(table(ours), flush=True)
    about = f"{len(hunks):,} hunks, {len(every):,} cases"
    mean, wrong = mean_correct(ours[OURS]), sum(counts["wrong"] for counts in ours[OURS].values())
    rows = [
        Row(f"correct, mean over mistakes: {about}", "%", _one(mean), {}, "at least 97 %", mean >= 97),
        Row("wrong edits", "edits", _one(wrong), {}, "none", wrong == 0),
    ]
    peers = Peers()
    if options.peer_seconds > 0:
        rows += compared(hunks, options, peers)
    return finish("edits", rows, versions=peers.versions, not_run=peers.not_run)


def compared(hunks: list[Hunk], options: argparse.Namespace, peers: Peers) -> list[Row]:
    """The same cases to every editor, hunks in random order, for as long as there is time."""
    shuffled = random.Random(options.seed).sample(hunks, len(hunks))
    with other_editors(peers) as editors:
        if not editors:
            return []
        scores = scored(
            {OURS: groundwire, **editors}, list(cases(shuffled, options.seed)), seconds=options.peer_seconds
        )
    print(f"\n{table(scores)}", flush=True)
    count = sum(counts.total() for counts in scores[OURS].values())

    def row(what: str, judge: Callable[[Scores], float]) -> Row:
        shares = {name: _one(judge(found)) for name, found in scores.items()}
        return Row(f"{what}, {count:,} cases for each editor", "%", shares.pop(OURS), shares)

    return [row("correct, mean over mistakes", mean_correct), row("wrong", wrong_share)]


def _one(value: float) -> Spread:
    return Spread.of([float(value)])


if __name__ == "__main__":
    raise SystemExit(main())
