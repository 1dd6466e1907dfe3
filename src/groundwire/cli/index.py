"""Index a folder of documents ahead of the first search, and say what was found in it.

examples:
  groundwire index docs/
  groundwire index docs/ --json

Searching with --provider local indexes by itself; this shows what it sees. Only what changed since the
last time is read, and an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from groundwire.cli.printable import printable
from groundwire.cli.waiting import Waiting

if TYPE_CHECKING:
    from groundwire.corpus import Corpus, IndexReport, Progress


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words after `groundwire index`."""
    parser.add_argument("folder", nargs="?", metavar="DIR", help="the folder (default: the configured one)")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Index and tell."""
    from groundwire.corpus import Corpus
    from groundwire.runtime import config_from_world

    config = config_from_world({"local.corpus": arguments.folder})
    with (
        Waiting("Looking at your documents", quiet=arguments.json) as waiting,
        Corpus.open(
            config.local.corpus,
            cache_dir=config.paths.cache_dir / "corpus",
            progress=lambda progress: waiting.say(words_for(progress)),
        ) as corpus,
    ):
        told = json_report(corpus) if arguments.json else "\n".join(report_lines(corpus))
    sys.stdout.write(f"{printable(told)}\n")
    return 0


def words_for(progress: Progress) -> str:
    """What is going on, for a person who waits."""
    if not progress.total:
        return "Another process is indexing this folder; waiting for it"
    return f"Indexing your documents: {progress.done:,} of {progress.total:,}"


def report_lines(corpus: Corpus) -> list[str]:
    """The report of a refresh, for a person."""
    report = corpus.report
    plural = "" if report.documents == 1 else "s"
    lines = [f"{report.documents:,} document{plural} in {corpus.folder} can be searched ({changes(report)})."]
    if report.left_out:
        counts = (f"{reason} {count:,}" for reason, count in sorted(report.left_out.items()))
        lines.append(f"Left out or read in part: {', '.join(counts)}.")
    if report.rebuilt:
        lines.append(f"The old index was replaced: {report.rebuilt}.")
    return [*lines, f"Index: {corpus.index_file}"]


def changes(report: IndexReport) -> str:
    """What is different from the last time."""
    counts = {"new": report.added, "changed": report.changed, "removed": report.removed}
    return ", ".join(f"{count:,} {what}" for what, count in counts.items() if count) or "nothing changed"


def json_report(corpus: Corpus) -> str:
    """The report of a refresh, for a program."""
    import msgspec

    places = {"folder": str(corpus.folder), "index": str(corpus.index_file)}
    return msgspec.json.encode({**msgspec.to_builtins(corpus.report), **places}).decode()
