"""What `groundwire search` does: ask one provider or all, show what comes, and give the exit code.

Apart from `search`, which only knows the words of the command, so that `--help` loads no event loop.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING

from groundwire.citations import WebSearchResult, failure
from groundwire.cli.search import LABELS
from groundwire.cli.waiting import Waiting
from groundwire.errors import GroundwireError, exit_code_for

if TYPE_CHECKING:
    from rich.console import Console

    from groundwire.cli.rendering import Arriving
    from groundwire.corpus import Progress
    from groundwire.runtime import Runtime

SETTINGS = ("model", "max_sources", "language", "region", "raw", "resolve_links", "timeout")


def search(arguments: argparse.Namespace) -> int:
    """Search, show, and give the exit code."""
    words = " ".join(arguments.query)
    query = sys.stdin.read() if words == "-" else words
    waiting = Waiting("Searching", quiet=arguments.json)
    try:
        runtime = _runtime(arguments, waiting)
    except GroundwireError as error:
        return _shown(failure(error), arguments)
    for problem in runtime.config.problems:
        print(f"groundwire: {problem}", file=sys.stderr)
    searching = _search_all if arguments.provider == "all" else _search
    return asyncio.run(searching(query, runtime, arguments, waiting))


def _runtime(arguments: argparse.Namespace, waiting: Waiting) -> Runtime:
    from groundwire.cli.index import words_for
    from groundwire.runtime import Runtime, config_from_world

    settings: dict[str, object] = {name: getattr(arguments, name) for name in SETTINGS}
    if arguments.provider != "all":
        settings["provider"] = arguments.provider
    settings["local.corpus"] = arguments.corpus

    def indexing(progress: Progress) -> None:
        waiting.say(words_for(progress))

    return Runtime(config_from_world(settings), progress=indexing)


async def _search(query: str, runtime: Runtime, arguments: argparse.Namespace, waiting: Waiting) -> int:
    async with runtime:
        with suppress(GroundwireError):  # told by the search itself
            waiting.say(f"Asking {LABELS[runtime.chosen(arguments.provider)]}")
        if arguments.stream and not arguments.json:
            return await _streamed(query, runtime, arguments)
        with waiting:
            result = await runtime.search(query, arguments.provider)
    return _shown(result, arguments)


async def _streamed(query: str, runtime: Runtime, arguments: argparse.Namespace) -> int:
    """Show text while it arrives: on a terminal the cited answer then takes its place."""
    arriving = _arriving()
    result: WebSearchResult | None = None
    with arriving:
        async with aclosing(runtime.search_stream(query, arguments.provider)) as events:
            async for event in events:
                if isinstance(event, WebSearchResult):
                    result = event
                else:
                    arriving.add(event)
    assert result is not None, "a stream ends in a result"
    if isinstance(arriving, _Pipe) and arriving.wrote and result.ok:
        return _sources_after(result)
    return _shown(result, arguments)


class _Pipe:
    """Text written to a pipe as it arrives."""

    wrote = False

    def __enter__(self) -> _Pipe:
        return self

    def __exit__(self, *problem: object) -> None:
        sys.stdout.flush()

    def add(self, text: str) -> None:
        from groundwire.cli.printable import printable

        self.wrote = True
        print(printable(text), end="", flush=True)


def _arriving() -> Arriving | _Pipe:
    if not sys.stdout.isatty():
        return _Pipe()
    from groundwire.cli.rendering import Arriving

    return Arriving(_console())


async def _search_all(query: str, runtime: Runtime, arguments: argparse.Namespace, waiting: Waiting) -> int:
    async with runtime:
        names = runtime.usable()
        if not names:
            return _shown(await runtime.search(query), arguments)
        waiting.say(f"Asking {', '.join(LABELS[name] for name in names)}")
        with waiting:
            results = await runtime.search_all(query)
    if arguments.json:
        import msgspec

        from groundwire.cli.printable import printable_json

        wire = {name: result.to_json() for name, result in results.items()}
        print(printable_json(msgspec.json.encode(wire).decode()))
    elif sys.stdout.isatty():
        from groundwire.cli.rendering import show_all

        show_all(results, _console())
    else:
        from groundwire.cli.rendering import plain

        print("\n\n".join(f"== {name} ==\n\n{plain(result)}" for name, result in results.items()))
    if any(result.ok for result in results.values()):
        return 0
    return _exit_code(next(iter(results.values())))


def _shown(result: WebSearchResult, arguments: argparse.Namespace) -> int:
    if arguments.json:
        from groundwire.cli.printable import printable_json

        print(printable_json(result.json()))
    elif result.error is not None:
        from groundwire.cli.printable import printable

        print(f"groundwire: {printable(result.error.message)}", file=sys.stderr)
    elif sys.stdout.isatty():
        from groundwire.cli.rendering import show

        show(result, _console())
    else:
        from groundwire.cli.rendering import plain

        print(plain(result))
    return _exit_code(result)


def _sources_after(result: WebSearchResult) -> int:
    """What follows an answer whose text went into a pipe while it arrived: its sources."""
    from groundwire.cli.rendering import plain

    _, heading, sources = plain(result).rpartition("\n\nSources:\n")
    print(f"{heading}{sources}")
    return _exit_code(result)


def _exit_code(result: WebSearchResult) -> int:
    return 0 if result.error is None else exit_code_for(result.error.type)


def _console() -> Console:
    from rich.console import Console

    return Console(highlight=False)
