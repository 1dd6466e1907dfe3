"""One attempt: an agent with one toolset works on one task in a fresh worktree, and its patch is graded.

    worktree  →  agent  →  patch  →  tests in isolation  →  Result

An attempt carries everything it needs, so that it can be made in any process on any machine.
"""

from __future__ import annotations

import asyncio
import shutil
import time
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path

import msgspec

from groundwire.agent.approval import Mode
from groundwire.agent.loop import Agent
from groundwire.agent.model import Model
from groundwire.agent.outcome import Outcome
from groundwire.agent.prices import Price, price_of
from groundwire.agent.tally import Limits
from groundwire.errors import GroundwireError
from groundwire.evaluation.edits import paths_in
from groundwire.evaluation.git import patch_of, worktree
from groundwire.evaluation.grading import Examination, Grade, check_tests, grade
from groundwire.evaluation.reference import Reference, fingerprints
from groundwire.evaluation.replay import ReplayModel, is_replay
from groundwire.evaluation.repository import repository_of
from groundwire.evaluation.results import Key, Result, Status
from groundwire.evaluation.scratch import place_for_attempt
from groundwire.evaluation.task import Task
from groundwire.evaluation.verbatim import VerbatimToolset
from groundwire.evaluation.watching import Noted, WatchedToolset
from groundwire.tools.base import Dialect
from groundwire.tools.dialects import dialect_of
from groundwire.workspace.boundary import Workspace

GEMINI, LEGACY, VERBATIM = "gemini", "legacy", "verbatim"
TOOLSETS = (GEMINI, LEGACY, VERBATIM)


class Settings(msgspec.Struct, frozen=True):
    """What is the same for all attempts of a run."""

    turns: int = 50
    tokens: int | None = None
    cost: float | None = None
    """US dollars that one attempt may cost."""
    agent_seconds: float = 1800.0
    dialect: str = ""
    """The dialect of the toolset `gemini`; empty: the one the model knows."""
    examination: Examination = Examination()


class Attempt(msgspec.Struct, frozen=True):
    """A task, a toolset and a model."""

    task: Task
    toolset: str
    model: str
    reference: Reference

    @property
    def key(self) -> Key:
        """What makes an attempt one."""
        return Key(self.task.instance_id, self.toolset, self.model)


class Done(msgspec.Struct, frozen=True):
    """What came of an attempt."""

    result: Result
    history: list[dict[str, object]] = []
    """Everything that was said between the model and the tools."""


def make_attempt(attempt: Attempt, settings: Settings, repositories: Path) -> Done:
    """Make the attempt. What goes wrong is in the result."""
    scratch = place_for_attempt(repositories)
    began = time.monotonic()
    try:
        return _made(attempt, settings, repository_of(attempt.task, repositories), scratch)
    except GroundwireError as error:
        return not_made(attempt, f"{error}", time.monotonic() - began)
    except Exception as error:  # noqa: BLE001  (a bug, a full disk: it costs this attempt and not the run)
        why = f"The attempt broke: {type(error).__name__}: {error}"
        return not_made(attempt, why, time.monotonic() - began)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def not_made(attempt: Attempt, why: str, seconds: float = 0.0) -> Done:
    """An attempt that came to nothing, and why."""
    return Done(Result(key=attempt.key, status=Status.ERROR, reason=why, seconds=seconds))


def dialect_for(toolset: str, model: str, chosen: str) -> Dialect:
    """The dialect of a toolset: legacy, or the one of Gemini's that was chosen or that the model knows."""
    if toolset in (LEGACY, VERBATIM):
        return Dialect.LEGACY
    if chosen:
        return Dialect(chosen)
    known = dialect_of(model)
    return Dialect.CURRENT if known is Dialect.LEGACY else known


def _made(attempt: Attempt, settings: Settings, repository: Path, scratch: Path) -> Done:
    task = attempt.task
    began = time.monotonic()
    with worktree(repository, task.base_commit, scratch / "work") as folder:
        check_tests(task, folder)
        workspace = Workspace(folder)
        kind = VerbatimToolset if attempt.toolset == VERBATIM else WatchedToolset
        tools = kind(workspace, dialect_for(attempt.toolset, attempt.model, settings.dialect))
        outcome = asyncio.run(_worked(attempt, settings, workspace, tools))
        agent_seconds = time.monotonic() - began
        patch = patch_of(folder, task.base_commit)
        as_reference = _as_reference(attempt.reference, folder, patch)
    graded = grade(task, repository, patch, scratch, settings.examination)
    status = Status.RESOLVED if graded.resolved else Status.STOPPED if graded.stopped else Status.UNRESOLVED
    if outcome is not None and outcome.error and not patch:
        status = Status.ERROR
    result = Result(
        key=attempt.key,
        status=status,
        ending="time_limit" if outcome is None else outcome.ending.value,
        reason=_reason(outcome, graded, len(task.tests)),
        turns=0 if outcome is None else outcome.turns,
        calls=len(tools.noted),
        edits=sum(noted.edits for noted in tools.noted),
        edit_failures=sum(noted.edits and bool(noted.error) for noted in tools.noted),
        tool_errors=errors_by_kind(tools.noted),
        tokens_given=0 if outcome is None else outcome.usage.given,
        tokens_made=0 if outcome is None else outcome.usage.made,
        cost=None if outcome is None else outcome.cost,
        seconds=agent_seconds,
        test_seconds=graded.seconds,
        failed_tests=graded.failed,
        stopped=graded.stopped,
        test_output=graded.output,
        isolation=graded.isolation,
        patch=patch,
        as_reference=as_reference,
    )
    return Done(result, [] if outcome is None else list(outcome.history))


async def _worked(
    attempt: Attempt, settings: Settings, workspace: Workspace, tools: WatchedToolset
) -> Outcome | None:
    """Let the agent work; None when it took too long."""
    async with AsyncExitStack() as stack:
        model, price = await _model(attempt, stack)
        limits = Limits(turns=settings.turns, tokens=settings.tokens, cost=settings.cost)
        agent = Agent(
            model=model, workspace=workspace, tools=tools, approve=Mode.EDITS, limits=limits, price=price
        )
        try:
            async with asyncio.timeout(settings.agent_seconds):
                return await agent.run(attempt.task.problem_statement)
        except TimeoutError:
            return None


async def _model(attempt: Attempt, stack: AsyncExitStack) -> tuple[Model, Price | None]:
    """The model, and what its tokens cost where that is known."""
    if is_replay(attempt.model):
        return ReplayModel(attempt.reference, attempt.model), None
    from groundwire.runtime import Runtime, config_from_world  # noqa: PLC0415  (lazy: a replay asks nobody)

    runtime = await stack.enter_async_context(Runtime(config_from_world()))
    return runtime.model(attempt.model), price_of(attempt.model, runtime.config.agent.prices)


def errors_by_kind(noted: list[Noted]) -> dict[str, int]:
    """How often each type of error came."""
    return dict(Counter(call.error for call in noted if call.error))


def _reason(outcome: Outcome | None, graded: Grade, tests: int) -> str:
    """The most telling sentence: why the tests were stopped, why the agent ended, or what fails."""
    if graded.detail:
        return graded.detail
    if outcome is None:
        return "The agent took too long."
    if graded.resolved or not outcome.ok:
        return outcome.reason
    return f"{len(graded.failed)} of {tests} tests fail, the first: {graded.failed[0]}"


def _as_reference(reference: Reference, folder: Path, patch: str) -> bool | None:
    """Whether the files are, byte for byte, what the reference fix makes of them; None without one."""
    if not reference.after:
        return None
    touched = sorted(paths_in(patch) | set(reference.after))
    return fingerprints(folder, touched) == reference.after
