"""The functions people import: `search`, `search_sync`, `search_stream`, and `open_agent`.

    >>> import groundwire
    >>> result = groundwire.search_sync("")
    >>> result.error.type
    'INVALID_QUERY'

Each reads the configuration of this process (files, environment) and lays the arguments over it. Searching
asks one provider and does not raise when it fails: look at `result.error`.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, TypedDict, Unpack

from groundwire.citations import WebSearchResult, failure
from groundwire.errors import GroundwireError
from groundwire.runtime import Runtime, config_from_world

if TYPE_CHECKING:
    from groundwire.agent.approval import Ask
    from groundwire.agent.events import Tell
    from groundwire.agent.loop import Agent
    from groundwire.agent.session import Session
    from groundwire.agent.tally import Limits


class SearchOptions(TypedDict, total=False):
    """What can be said about a search besides the query. Everything is optional."""

    model: str
    """The model to ask; belongs to the provider, so name that too."""
    api_key: str
    """The key (or, for openai_oauth, the access token) to use; belongs to the provider, so name that too."""
    corpus: str
    """The folder of documents for the provider `local`."""
    max_sources: int
    """At most this many sources; markers of the others are left out."""
    language: str
    """The language to answer in, as a code or a name."""
    region: str
    """The region whose facts and sources are preferred, as a country code."""
    raw: bool
    """Whether to give the provider's own metadata in `result.raw`."""
    resolve_links: bool
    """Whether to turn Google's redirect links into the addresses of the pages."""
    timeout: float
    """Seconds for the whole search."""


async def search(
    query: str, provider: str | None = None, **options: Unpack[SearchOptions]
) -> WebSearchResult:
    """Ask the web and get an answer with `[n]` citations and the sources behind them.

    `provider` is gemini, openai_oauth, openrouter or local; without one, the first that has a credential.
    """
    try:
        runtime = _runtime(provider, options)
    except GroundwireError as error:
        return failure(error)
    async with runtime:
        return await runtime.search(query, provider)


def search_sync(query: str, provider: str | None = None, **options: Unpack[SearchOptions]) -> WebSearchResult:
    """`search` for programs without an event loop; inside one (a notebook) it waits in a thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(search(query, provider, **options))
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(lambda: asyncio.run(search(query, provider, **options))).result()


async def search_stream(
    query: str, provider: str | None = None, **options: Unpack[SearchOptions]
) -> AsyncGenerator[str | WebSearchResult]:
    """The answer's text as it arrives, without citations; the last item is the WebSearchResult."""
    try:
        runtime = _runtime(provider, options)
    except GroundwireError as error:
        yield failure(error)
        return
    async with runtime, aclosing(runtime.search_stream(query, provider)) as events:
        async for event in events:
            yield event


@asynccontextmanager
async def open_agent(
    workspace: str | os.PathLike[str],
    *,
    model: str | None = None,
    approve: str | Ask = "ask",
    ask: Ask | None = None,
    shell: bool = False,
    limits: Limits | None = None,
    tell: Tell | None = None,
    session: Session | None = None,
) -> AsyncGenerator[Agent]:
    """An agent in a workspace, with a Gemini model and its search, from this process's configuration.

    `approve` is ask, edits, plan or yolo, or a callable that is asked about each change; `ask` is a callable
    that is asked where a mode asks. Without a callable, what would be asked is denied. `shell` offers the
    model `run_shell_command`. `tell` is given each event while it happens; `session` keeps them all.

        async with groundwire.open_agent("notes", approve="edits") as agent:
            outcome = await agent.run("search the weather in Beijing and save it to weather.txt")
    """
    async with Runtime(config_from_world()) as runtime:
        yield runtime.agent(
            workspace,
            model=model,
            approve=approve,
            ask=ask,
            shell=shell,
            limits=limits,
            tell=tell,
            session=session,
        )


def _runtime(provider: str | None, options: SearchOptions) -> Runtime:
    arguments: dict[str, object] = {"provider": provider, **options}
    if "corpus" in arguments:
        arguments["local.corpus"] = arguments.pop("corpus")
    return Runtime(config_from_world(arguments))
