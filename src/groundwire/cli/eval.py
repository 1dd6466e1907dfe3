"""Compare toolsets: run tasks in the SWE-bench format with each, grade the patches, write a report.

groundwire eval run --tasks builtin --toolset both --model replay
groundwire eval run --tasks tasks.jsonl --repos clones --model gemini-3-pro --workers 4 --out run-1
groundwire eval check --tasks tasks.jsonl
groundwire eval list
groundwire eval export DIR
groundwire eval report DIR

`run` can be interrupted: the same command goes on where it ended. `--model replay` needs no key: it replays
each task's reference fix, without and with the mistakes that models make. `check` makes sure that the tests
of each task fail before the reference fix and pass with it. `export` writes the builtin tasks as
repositories and a task file. `report` writes the report of a folder again.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from groundwire.errors import MissingGeminiKey, UsageError

if TYPE_CHECKING:
    from groundwire.evaluation.attempt import Settings
    from groundwire.evaluation.grading import Examination
    from groundwire.evaluation.run import Wanted

ACTIONS = ("run", "check", "list", "export", "report")
TOOLSETS = {
    "gemini": ("gemini",),
    "legacy": ("legacy",),
    "verbatim": ("verbatim",),
    "both": ("gemini", "legacy"),
    "all": ("gemini", "legacy", "verbatim"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words after `groundwire eval`."""
    parser.add_argument("action", choices=ACTIONS, help="what to do; see above")
    parser.add_argument("folder", nargs="?", metavar="DIR", help="the folder of `export` and `report`")
    parser.add_argument(
        "--tasks",
        default="builtin",
        metavar="FILE|DIR",
        help="a task file, a folder of them, or builtin (default)",
    )
    parser.add_argument(
        "--only", action="append", default=[], metavar="ID", help="run this task; can be repeated"
    )
    parser.add_argument(
        "--repos", default="", metavar="DIR", help="where the clones are (default: beside the tasks)"
    )
    parser.add_argument(
        "--toolset",
        choices=tuple(TOOLSETS),
        default="both",
        help="Gemini CLI's tools, the legacy editor, the same without forgiveness, gemini and legacy (the "
        "default), or all three",
    )
    parser.add_argument(
        "--model", action="append", metavar="M", help="a Gemini model, replay (default), or replay:MISTAKE"
    )
    parser.add_argument(
        "--dialect", choices=("classic", "current"), help="of Gemini's tools; default: the model's"
    )
    parser.add_argument(
        "--workers", type=int, default=os.cpu_count() or 1, metavar="N", help="attempts at a time"
    )
    parser.add_argument(
        "--engine", choices=("pool", "ray"), default="pool", help="processes here, or a Ray cluster"
    )
    parser.add_argument("--ray-address", metavar="ADDRESS", help="the cluster; default: one on this machine")
    parser.add_argument(
        "--out", default="evaluation", metavar="DIR", help="where everything goes (default: evaluation)"
    )
    parser.add_argument(
        "--retry-errors", action="store_true", help="make attempts again that could not be made"
    )
    parser.add_argument("--max-turns", type=int, default=50, metavar="N", help="turns of an attempt (50)")
    parser.add_argument("--max-tokens", type=int, metavar="N", help="tokens of an attempt")
    parser.add_argument("--max-cost", type=float, metavar="USD", help="dollars of an attempt, by list prices")
    parser.add_argument(
        "--agent-seconds", type=float, default=1800.0, metavar="S", help="time of the agent (1800)"
    )
    parser.add_argument(
        "--test-seconds", type=float, default=60.0, metavar="S", help="time of the tests (60)"
    )
    parser.add_argument(
        "--test-memory", type=int, default=1024, metavar="MB", help="memory of the tests (1024)"
    )
    parser.add_argument(
        "--test-processes", type=int, default=64, metavar="N", help="processes of the tests (64)"
    )
    parser.add_argument(
        "--test-command", metavar="WORDS", help="instead of pytest or unittest; {tests} stands for them"
    )
    parser.add_argument(
        "--python", default=sys.executable, metavar="PATH", help="the Python of the tests (this one)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Do what the first word says."""
    actions = {"run": _run, "check": _check, "list": _list, "export": _export, "report": _report}
    for name in ("workers", "max_turns", "test_processes", "test_memory", "test_seconds", "agent_seconds"):
        if getattr(arguments, name) <= 0:
            raise UsageError(f"--{name.replace('_', '-')} must be more than 0.")
    return actions[arguments.action](arguments)


def _run(arguments: argparse.Namespace) -> int:
    from groundwire.cli.eval_display import display_on
    from groundwire.evaluation.engines import engine_named
    from groundwire.evaluation.run import evaluate

    folder = Path(arguments.out)
    wanted = _wanted(arguments)
    if arguments.engine == "pool":  # the machines of a cluster have keys of their own
        _check_key(wanted.models)
    engine = engine_named(arguments.engine, arguments.workers, arguments.ray_address)
    display = display_on(sys.stderr)
    try:
        with display:
            results = evaluate(wanted, folder, engine, display, retry_errors=arguments.retry_errors)
    except KeyboardInterrupt:
        print(f"Interrupted. The same command goes on where this ended: {folder}", file=sys.stderr)
        return 130
    print(display.closing(results))
    print(f"The report: {folder / 'report.html'}")
    return 0


def _check_key(models: tuple[str, ...]) -> None:
    """MissingGeminiKey when a model is to be asked without one: told once, and not at each attempt."""
    from groundwire.evaluation.replay import is_replay
    from groundwire.runtime import Runtime, config_from_world

    if not all(map(is_replay, models)) and "gemini" not in Runtime(config_from_world()).usable():
        raise MissingGeminiKey("No Gemini API key was found.")


def _check(arguments: argparse.Namespace) -> int:
    import tempfile

    from groundwire.evaluation.checking import check_task
    from groundwire.evaluation.grading import check_python
    from groundwire.evaluation.run import tasks_wanted

    with tempfile.TemporaryDirectory(prefix="groundwire-eval-") as scratch:
        place = Path(scratch)
        tasks = tasks_wanted(_wanted(arguments), place / "repositories")
        check_python(tasks, _examination(arguments))
        bad = 0
        for task in tasks:
            problem = check_task(task, place / "repositories", place, _examination(arguments))
            bad += bool(problem)
            print(
                f"{'FAIL' if problem else 'ok  '}  {task.instance_id}{f': {problem}' if problem else ''}",
                flush=True,
            )
    print(f"{len(tasks) - bad} of {len(tasks)} tasks fail before their fix and pass with it.")
    return 1 if bad else 0


def _list(arguments: argparse.Namespace) -> int:
    from groundwire.evaluation.builtin import names, task_file
    from groundwire.evaluation.run import BUILTIN
    from groundwire.evaluation.task import read_tasks

    if arguments.tasks != BUILTIN:
        clones = Path(arguments.repos) if arguments.repos else None
        rows = [
            (task.instance_id, task.repo, task.base_commit[:12])
            for task in read_tasks(Path(arguments.tasks), clones)
        ]
    else:
        rows = [(name, task_file(name).language, task_file(name).kind) for name in names()]
    widths = [max(len(row[column]) for row in rows) for column in range(2)]
    print("\n".join(f"{one:<{widths[0]}}  {two:<{widths[1]}}  {three}" for one, two, three in rows))
    return 0


def _export(arguments: argparse.Namespace) -> int:
    from groundwire.evaluation.builtin import export

    if not arguments.folder:
        raise UsageError("Where to?", hint="groundwire eval export DIR")
    path, count = export(Path(arguments.folder))
    print(f"{count} tasks: {path}")
    return 0


def _report(arguments: argparse.Namespace) -> int:
    from groundwire.evaluation.run import report_again

    folder = Path(arguments.folder or arguments.out)
    print(f"The report: {report_again(folder)}")
    return 0


def _wanted(arguments: argparse.Namespace) -> Wanted:
    from groundwire.evaluation.run import Wanted

    return Wanted(
        tasks=arguments.tasks,
        toolsets=TOOLSETS[arguments.toolset],
        models=tuple(arguments.model or ["replay"]),
        only=tuple(arguments.only),
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
        examination=_examination(arguments),
    )


def _examination(arguments: argparse.Namespace) -> Examination:
    import shlex

    from groundwire.evaluation.grading import PLACEHOLDER, Examination
    from groundwire.evaluation.sandbox.isolated import Bounds

    command = tuple(shlex.split(arguments.test_command or ""))
    if command and PLACEHOLDER not in command:
        raise UsageError("--test-command must hold {tests} as a word of its own, where the tests go.")
    bounds = Bounds(
        seconds=arguments.test_seconds,
        memory=arguments.test_memory << 20,
        processes=arguments.test_processes,
    )
    return Examination(bounds, arguments.python, command)
