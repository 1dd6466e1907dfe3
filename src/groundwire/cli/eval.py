"""Compare toolsets: run tasks in the SWE-bench format with each, grade the patches, write a report.

groundwire eval run --tasks builtin --toolset both --model replay
groundwire eval run --tasks tasks.jsonl --repos clones --model gemini-3-pro --workers 4 --out run-1
groundwire eval check --tasks tasks.jsonl
groundwire eval list
groundwire eval export DIR
groundwire eval report DIR

`run` can be interrupted: the same command goes on where it ended, and tries again what could not be made (no
connection, no quota); as long as something could not, the exit code is 1. `--model replay` needs no key: it
replays each task's reference fix, without and with the mistakes that models make. `check` makes sure that the
tests of each task fail before the reference fix and pass with it. `export` writes the builtin tasks as
repositories and a task file. `report` writes the report of a folder again.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from groundwire.cli import eval_arguments
from groundwire.errors import MissingGeminiKey, UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words after `groundwire eval`."""
    eval_arguments.add(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do what the first word says."""
    actions = {"run": _run, "check": _check, "list": _list, "export": _export, "report": _report}
    eval_arguments.check(arguments)
    return actions[arguments.action](arguments)


def _run(arguments: argparse.Namespace) -> int:
    from groundwire.cli.eval_display import display_on
    from groundwire.evaluation.engines import engine_named
    from groundwire.evaluation.run import evaluate

    folder = Path(arguments.out)
    wanted = eval_arguments.wanted(arguments)
    if arguments.engine == "pool":  # the machines of a cluster have keys of their own
        _check_key(wanted.models)
    engine = engine_named(arguments.engine, arguments.workers, arguments.ray_address)
    display = display_on(sys.stderr)
    try:
        with display:
            results = evaluate(wanted, folder, engine, display)
    except KeyboardInterrupt:
        print(f"Interrupted. The same command goes on where this ended: {folder}", file=sys.stderr)
        return 130
    print(display.closing(results))
    print(f"The report: {folder / 'report.html'}")
    return 0 if all(result.was_made for result in results) else 1


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
        tasks = tasks_wanted(eval_arguments.wanted(arguments), place / "repositories")
        examination = eval_arguments.examination(arguments)
        check_python(tasks, examination)
        bad = 0
        for task in tasks:
            problem = check_task(task, place / "repositories", place, examination)
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
