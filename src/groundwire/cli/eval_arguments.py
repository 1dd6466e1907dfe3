"""What `groundwire eval` is told, checked, and what an evaluation makes of it."""

from __future__ import annotations

import argparse
import math
import os
import sys
from typing import TYPE_CHECKING

from groundwire.errors import UsageError

if TYPE_CHECKING:
    from groundwire.evaluation.attempt import Settings
    from groundwire.evaluation.grading import Examination
    from groundwire.evaluation.run import Wanted

ACTIONS = ("run", "check", "list", "export", "report")
WITH_FOLDER = ("export", "report")
TOOLSETS = {
    "gemini": ("gemini",),
    "legacy": ("legacy",),
    "verbatim": ("verbatim",),
    "both": ("gemini", "legacy"),
    "all": ("gemini", "legacy", "verbatim"),
}
NUMBERS = (
    *("workers", "max_turns", "max_tokens", "max_cost"),
    *("agent_seconds", "test_seconds", "test_memory", "test_processes"),
)
"""Arguments that must be more than nothing."""


def add(parser: argparse.ArgumentParser) -> None:
    """The words after `groundwire eval`."""
    parser.add_argument("action", choices=ACTIONS, help="what to do; see above")
    parser.add_argument("folder", nargs="?", metavar="DIR", help="the folder of `export` and `report`")
    _about_tasks(parser)
    _about_attempts(parser)
    _about_limits(parser)
    _about_tests(parser)


def _about_tasks(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the tasks")
    group.add_argument(
        "--tasks",
        default="builtin",
        metavar="FILE|DIR",
        help="a task file, a folder of them, or builtin (default)",
    )
    group.add_argument(
        "--only", action="append", default=[], metavar="ID", help="run this task; can be repeated"
    )
    group.add_argument(
        "--repos", default="", metavar="DIR", help="where the clones are (default: beside the tasks)"
    )


def _about_attempts(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the attempts")
    group.add_argument(
        "--toolset",
        choices=tuple(TOOLSETS),
        default="both",
        help="Gemini CLI's tools, the legacy editor, the same without forgiveness, gemini and legacy (the "
        "default), or all three",
    )
    group.add_argument(
        "--model", action="append", metavar="M", help="a Gemini model, replay (default), or replay:MISTAKE"
    )
    group.add_argument(
        "--dialect", choices=("classic", "current"), help="of Gemini's tools; default: the model's"
    )
    group.add_argument(
        "--workers", type=int, default=os.cpu_count() or 1, metavar="N", help="attempts at a time"
    )
    group.add_argument(
        "--engine", choices=("pool", "ray"), default="pool", help="processes here, or a Ray cluster"
    )
    group.add_argument("--ray-address", metavar="ADDRESS", help="the cluster; default: one on this machine")
    group.add_argument(
        "--out", default="evaluation", metavar="DIR", help="where everything goes (default: evaluation)"
    )


def _about_limits(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("limits of one attempt")
    group.add_argument("--max-turns", type=int, default=50, metavar="N", help="turns (50)")
    group.add_argument("--max-tokens", type=int, metavar="N", help="tokens")
    group.add_argument("--max-cost", type=float, metavar="USD", help="dollars, by list prices")
    group.add_argument(
        "--agent-seconds", type=float, default=1800.0, metavar="S", help="time of the agent (1800)"
    )


def _about_tests(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the tests of an attempt")
    group.add_argument("--test-seconds", type=float, default=60.0, metavar="S", help="their time (60)")
    group.add_argument("--test-memory", type=int, default=1024, metavar="MB", help="their memory (1024)")
    group.add_argument("--test-processes", type=int, default=64, metavar="N", help="their processes (64)")
    group.add_argument(
        "--test-command", metavar="WORDS", help="instead of pytest or unittest; {tests} stands for them"
    )
    group.add_argument("--python", default=sys.executable, metavar="PATH", help="their Python (this one)")


def check(arguments: argparse.Namespace) -> None:
    """UsageError for words that cannot be meant."""
    for name in NUMBERS:
        number = getattr(arguments, name)
        if number is not None and not 0 < number < math.inf:  # what is no number is not more than 0, either
            raise UsageError(f"--{name.replace('_', '-')} must be a number and more than 0.")
    if arguments.folder is not None and arguments.action not in WITH_FOLDER:
        raise UsageError(
            f"`{arguments.action}` takes no folder: '{arguments.folder}'.",
            hint="--out DIR says where the results of a run go, --tasks where the tasks are.",
        )


def wanted(arguments: argparse.Namespace) -> Wanted:
    """What a run is asked for."""
    from groundwire.evaluation.run import Wanted

    return Wanted(
        tasks=arguments.tasks,
        toolsets=TOOLSETS[arguments.toolset],
        models=tuple(dict.fromkeys(arguments.model or ["replay"])),
        only=tuple(dict.fromkeys(arguments.only)),
        repositories=arguments.repos,
        settings=_settings(arguments),
    )


def _settings(arguments: argparse.Namespace) -> Settings:
    from groundwire.evaluation.attempt import Settings

    return Settings(
        turns=arguments.max_turns,
        tokens=arguments.max_tokens,
        cost=arguments.max_cost,
        agent_seconds=arguments.agent_seconds,
        dialect=arguments.dialect or "",
        examination=examination(arguments),
    )


def examination(arguments: argparse.Namespace) -> Examination:
    """How the tests are run."""
    import shlex

    from groundwire.evaluation.grading import PLACEHOLDER, Examination
    from groundwire.evaluation.sandbox.isolated import Bounds

    try:
        command = tuple(shlex.split(arguments.test_command or ""))
    except ValueError as error:
        raise UsageError(f"--test-command cannot be taken apart: {error}.") from None
    if command and PLACEHOLDER not in command:
        raise UsageError("--test-command must hold {tests} as a word of its own, where the tests go.")
    bounds = Bounds(
        seconds=arguments.test_seconds,
        memory=arguments.test_memory << 20,
        processes=arguments.test_processes,
    )
    return Examination(bounds, arguments.python, command)
