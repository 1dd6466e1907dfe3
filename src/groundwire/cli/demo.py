"""Show everything at work, offline: an emulator answers in place of Gemini, ChatGPT and OpenRouter.

No key, no account and no network is needed. Each step prints the command that does the same for real.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from groundwire.cli.printable import printable

if TYPE_CHECKING:
    from rich.console import Console

    from groundwire.citations import WebSearchResult

STEPS = (
    ("gemini", "What is the weather in Beijing?"),
    ("openai_oauth", "How do I run several coroutines at once in Python?"),
    ("openrouter", "北京天气怎么样？"),
)
TASK = "搜索北京天气并保存到 weather.txt"
NOTES = {
    "billing.md": "# Invoices\n\nInvoices are sent on the first Monday of the month. Late ones go to Ada.\n",
    "deploy.md": "# Deploying\n\nWe deploy on Tuesdays with `make release`. Rollbacks deploy the last tag.\n",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`groundwire demo` takes no arguments."""


def run(arguments: argparse.Namespace) -> int:
    """Run every step; the exit code says whether all of them worked."""
    from rich.console import Console

    return asyncio.run(_demo(Console(highlight=False, soft_wrap=True)))


async def _demo(console: Console) -> int:
    from groundwire.emulator import Emulator

    console.print("[bold]groundwire[/bold]: cited web search and Gemini CLI's tools, for any agent")
    console.print("Everything below runs on an emulator on this machine: no key, no account, no network.\n")
    with tempfile.TemporaryDirectory() as folder:
        async with Emulator() as emulator:
            worked = [await _search(console, emulator.env(), folder, *step) for step in STEPS]
        worked.append(await _local(console, folder))
        worked.append(await _agent(console, folder))
    return _closing(console, all(worked))


async def _search(console: Console, env: dict[str, str], home: str, provider: str, query: str) -> bool:
    from groundwire.config import load_config
    from groundwire.runtime import Runtime

    _typed(console, f'groundwire search "{query}" --provider {provider}')
    config = load_config(env=env, cwd=Path(home), home=Path(home))
    async with Runtime(config, env=env) as runtime:
        return _shown(console, await runtime.search(query, provider))


async def _local(console: Console, folder: str) -> bool:
    from groundwire.config import load_config
    from groundwire.runtime import Runtime

    notes = Path(folder) / "notes"
    notes.mkdir()
    for name, text in NOTES.items():
        (notes / name).write_text(text, encoding="utf-8")
    _typed(console, 'groundwire search "when do we deploy?" --provider local --corpus notes/')
    config = load_config(env={}, cwd=Path(folder), home=Path(folder), arguments={"local.corpus": str(notes)})
    async with Runtime(config, env={}) as runtime:
        return _shown(console, await runtime.search("when do we deploy?", "local"))


async def _agent(console: Console, folder: str) -> bool:
    """An agent searches and saves what it found; the file must hold the answer with its citations."""
    from groundwire.cli.run_display import RunDisplay
    from groundwire.config import load_config
    from groundwire.emulator import Emulator
    from groundwire.runtime import Runtime

    workspace = Path(folder) / "workspace"
    workspace.mkdir()
    _typed(console, f'groundwire run "{TASK}" --approve yolo')
    display = RunDisplay(sys.stdout, sys.stdout)
    async with Emulator(script="weather") as emulator:
        env = emulator.env()
        config = load_config(env=env, cwd=workspace, home=Path(folder))
        async with Runtime(config, env=env) as runtime:
            agent = runtime.agent(workspace, approve="yolo", tell=display.tell)
            outcome = await agent.run(TASK)
    display.close(outcome)
    saved = workspace / "weather.txt"
    text = saved.read_text(encoding="utf-8") if saved.is_file() else ""
    console.print("\n[bold green]$[/bold green] [bold]cat weather.txt[/bold]")
    print(printable(text))
    return outcome.ok and "北京" in text and "[1]" in text and "Sources:\n[1] " in text


def _typed(console: Console, command: str) -> None:
    console.print(f"[bold green]$[/bold green] [bold]{command}[/bold]", soft_wrap=True)


def _shown(console: Console, result: WebSearchResult) -> bool:
    from groundwire.cli.rendering import plain, rendered

    if sys.stdout.isatty():
        console.print(rendered(result))
        console.print()
    else:
        print(f"{plain(result)}\n")
    return result.ok


def _closing(console: Console, worked: bool) -> int:
    if not worked:
        console.print("[red]Something above did not work; please report it with this output.[/red]")
        return 1
    console.print("With a key of your own the same commands search the web:")
    console.print("  export GEMINI_API_KEY=...      or OPENROUTER_API_KEY=...")
    console.print("  groundwire login openai        asks on your ChatGPT plan")
    console.print("  groundwire doctor              shows what is configured and what is missing")
    return 0
