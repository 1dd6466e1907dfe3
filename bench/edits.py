"""The edit benchmark: real hunks, each with the mistakes models make, scored correct, wrong or refused.

    python -m bench.edits [REPOSITORY ...] [--packages FOLDER] [--hunks 2000] [--seed 1]
                          [--fetch] [--gemini-cli HUNKS]

Without arguments the sources are those named in EDIT_REPOSITORIES and EDIT_PACKAGES, or else the history of
the repository in the current folder. `--fetch` gets two releases each of some packages from PyPI and
npm into .bench/packages and uses them. Correct is the file with the
hunk applied and every other byte as it was; an exact match applied literally is correct as well. In
a trap the caller is mistaken about the file, and only a refusal is correct. The score of an editor is the
mean over the classes of mistakes.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.edit_hunks import CONTEXT, Hunk, from_git, from_packages
from bench.edit_mistakes import MISTAKES, Case
from bench.edit_traps import TRAPS
from bench.results import Row, Spread, save
from groundwire.tools.matching import Edit, Strategy, find_edit

WIDER_CONTEXT = 7
PEER_SECONDS = 600.0
"""A peer that searches for seconds in each large file is not waited for."""
Editor = Callable[[Case], tuple[str | None, bool]]
"""A case to the text after the edit (None when refused), and whether it was an exact match."""


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


def cases(hunks: list[Hunk], seed: int) -> Iterator[tuple[str, bool, Hunk, Case]]:
    """Every hunk with every mistake and trap that applies to it: class, is it a trap, hunk, case."""
    for at, hunk in enumerate(hunks):
        for name, mistake in itertools.chain(MISTAKES.items(), TRAPS.items()):
            case = mistake(hunk, random.Random(f"{seed} {at} {name}"))
            if case is not None:
                yield name, name in TRAPS, hunk, case


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


def table(title: str, scores: dict[str, Counter[str]]) -> float:
    """Print the scores of one editor; the mean share of correct ones over the mistakes."""
    print(f"\n{title}\n{'class':<24}{'cases':>7}{'correct %':>11}{'wrong':>7}{'refused':>9}")
    shares = []
    for name, counts in scores.items():
        total = counts.total()
        share = 100 * counts["correct"] / total
        if name in MISTAKES:
            shares.append(share)
        mark = "trap: " if name in TRAPS else ""
        print(f"{mark + name:<24}{total:>7}{share:>11.2f}{counts['wrong']:>7}{counts['refused']:>9}")
    wrong = sum(counts["wrong"] for counts in scores.values())
    mean = sum(shares) / len(shares) if shares else 0.0
    total = sum(counts.total() for counts in scores.values())
    print(f"mean over mistakes: {mean:.2f} % correct; {wrong} wrong of {total} cases")
    return mean


def run(
    editor: Editor, every: list[tuple[str, bool, Hunk, Case]], show: int = 0, seconds: float = float("inf")
) -> dict[str, Counter[str]]:
    """The scores of one editor on as many cases as it gets done in `seconds`."""
    scores: dict[str, Counter[str]] = {}
    end = time.perf_counter() + seconds
    for name, _, hunk, case in every:
        if time.perf_counter() > end:
            print("\nThe next editor was stopped after its time; its table has the cases it got to.")
            break
        verdict = score(case, editor(case))
        scores.setdefault(name, Counter())[verdict] += 1
        if verdict != "correct" and show > 0:
            show -= verdict == "wrong"
            if verdict == "wrong":
                print(f"--- {verdict}: {name} in {hunk.path}\nOLD\n{case.old}\nNEW\n{case.new}")
    return scores


def main() -> int:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("repositories", nargs="*")
    parser.add_argument("--packages", help="a folder of PACKAGE/VERSION folders")
    parser.add_argument("--fetch", action="store_true", help="get packages from PyPI and npm")
    parser.add_argument("--hunks", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=0, help="print this many wrong edits")
    parser.add_argument("--gemini-cli", type=int, default=0, help="hunks to give to Gemini CLI's tool too")
    options = parser.parse_args()
    if options.fetch:
        from bench.edit_packages import fetched

        options.packages = str(fetched(Path(".bench/packages")))
    if not options.repositories and not options.packages:
        options.packages = os.environ.get("EDIT_PACKAGES")
        named = os.environ.get("EDIT_REPOSITORIES", "" if options.packages else ".")
        options.repositories = named.split(os.pathsep) if named else []
    hunks = collect(options)
    every = list(cases(hunks, options.seed))
    began = time.perf_counter()
    scores = run(groundwire, every, options.show)
    spent = time.perf_counter() - began
    mean = table(f"groundwire: {len(hunks)} hunks, {1000 * spent / max(1, len(every)):.2f} ms a case", scores)
    wrong = sum(counts["wrong"] for counts in scores.values())
    about = f"{len(hunks):,} hunks, {len(every):,} cases"
    rows = [
        Row(f"correct, mean over mistakes: {about}", "%", Spread.of([mean]), {}, "at least 97 %", mean >= 97),
        Row("wrong edits", "edits", Spread.of([float(wrong)]), {}, "none", wrong == 0),
    ]
    if options.gemini_cli:
        from bench.edit_peers import gemini_cli

        sample = list(cases(hunks[:: max(1, len(hunks) // options.gemini_cli)], options.seed))
        with gemini_cli() as editor:
            title = f"Gemini CLI replace, {options.gemini_cli} of the hunks"
            theirs = table(title, run(editor, sample, seconds=PEER_SECONDS))
        ours = table("groundwire on the same", run(groundwire, sample))
        name = f"correct, on {options.gemini_cli} of the hunks"
        rows.append(Row(name, "%", Spread.of([ours]), {"Gemini CLI": Spread.of([theirs])}))
    save("edits", rows)
    return 0 if mean >= 97 and wrong == 0 else 1


if __name__ == "__main__":
    raise SystemExit(main())
