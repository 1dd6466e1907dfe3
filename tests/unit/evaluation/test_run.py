"""A whole run: from a task file to graded patches and a report; interrupted, repeated, refused."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from groundwire.errors import BadTasks, EvaluationFailed
from groundwire.evaluation.attempt import Attempt, Done, Settings, make_attempt
from groundwire.evaluation.engines import Started
from groundwire.evaluation.git import worktree
from groundwire.evaluation.grading import Examination
from groundwire.evaluation.results import RESULTS, Key, Result, Status, read_results
from groundwire.evaluation.run import Wanted, evaluate, report_again
from groundwire.evaluation.sandbox.isolated import Bounds, Stopped
from groundwire.evaluation.scratch import scratch_for
from tests.unit.evaluation.conftest import FIXED, Bench

QUICK = Settings(examination=Examination(Bounds(seconds=20, processes=30)))


class Silent:
    """Hears how a run goes and remembers it."""

    def __init__(self) -> None:
        self.attempts = 0
        self.before: list[Result] = []
        self.made: list[Result] = []

    def planned(self, attempts: int, done: Sequence[Result]) -> None:
        self.attempts, self.before = attempts, list(done)

    def started(self, attempt: Attempt) -> None:
        pass

    def finished(self, result: Result) -> None:
        self.made.append(result)


class InOrder:
    """An engine that makes the attempts here, one after the other; it can break off."""

    def __init__(self, breaks_after: int | None = None) -> None:
        self._left = breaks_after

    def run(
        self, attempts: Sequence[Attempt], settings: Settings, repositories: Path, started: Started
    ) -> Iterator[Done]:
        for attempt in attempts:
            if self._left == 0:
                raise KeyboardInterrupt
            self._left = None if self._left is None else self._left - 1
            started(attempt)
            yield make_attempt(attempt, settings, repositories)


def wanted(bench: Bench, *models: str, settings: Settings = QUICK) -> Wanted:
    return Wanted(str(bench.written()), ("gemini", "legacy"), models or ("replay:exact",), settings=settings)


def only(results: list[Result]) -> Result:
    """The result of the toolset gemini."""
    return next(result for result in results if result.key.toolset == "gemini")


def test_both_toolsets_replay_the_fix(bench: Bench, tmp_path: Path) -> None:
    out = tmp_path / "out"
    results = evaluate(wanted(bench), out, InOrder(), Silent())
    assert [(result.key.toolset, result.status) for result in results] == [
        ("gemini", Status.RESOLVED),
        ("legacy", Status.RESOLVED),
    ]
    assert all(result.as_reference and result.edit_failures == 0 for result in results)
    assert all(result.patch == bench.task["patch"] for result in results)
    predictions = [
        msgspec.json.decode(line) for line in (out / "predictions.jsonl").read_bytes().splitlines()
    ]
    assert [set(line) for line in predictions] == [{"instance_id", "model_name_or_path", "model_patch"}] * 2
    assert len(list((out / "predictions").iterdir())) == 2
    assert "acme__calc-1" in (out / "report.html").read_text(encoding="utf-8")
    transcript = (out / "transcripts" / "acme__calc-1--gemini--replay_exact.html").read_text(encoding="utf-8")
    assert "read_file" in transcript


def test_the_clone_is_only_read(bench: Bench, tmp_path: Path) -> None:
    def everything() -> dict[Path, bytes]:
        return {path: path.read_bytes() if path.is_file() else b"" for path in bench.repository.rglob("*")}

    before = everything()
    evaluate(wanted(bench), tmp_path / "out", InOrder(), Silent())
    assert everything() == before


def test_many_may_have_worktrees_of_one_repository(bench: Bench, tmp_path: Path) -> None:
    def once(number: int) -> bool:
        with worktree(bench.repository, bench.commit, tmp_path / f"work-{number}") as folder:
            return (folder / "calc.py").is_file()

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(once, range(40)))
    assert not list(tmp_path.glob("work-*"))
    assert not list((bench.repository / ".git" / "worktrees").iterdir())


def test_an_interrupted_run_goes_on_and_loses_nothing(bench: Bench, tmp_path: Path) -> None:
    out = tmp_path / "out"
    models = ("replay:exact", "replay:typo-in-change")
    with pytest.raises(KeyboardInterrupt):
        evaluate(wanted(bench, *models), out, InOrder(breaks_after=3), Silent())
    finished = read_results(out)
    assert len(finished) == 3
    heard = Silent()
    results = evaluate(wanted(bench, *models), out, InOrder(), heard)
    assert (heard.attempts, len(heard.before), len(heard.made)) == (4, 3, 1)
    assert [result for result in results if result.key in finished] == list(finished.values())


def test_two_runs_do_not_work_in_one_folder(bench: Bench, tmp_path: Path) -> None:
    with scratch_for(tmp_path / "out"), pytest.raises(EvaluationFailed, match="Another run is under way"):
        evaluate(wanted(bench), tmp_path / "out", InOrder(), Silent())


def test_what_a_killed_run_left_behind_is_taken_away(tmp_path: Path) -> None:
    left = Path(tempfile.mkdtemp(prefix="groundwire-eval-"))
    (tmp_path / ".lock").write_text(str(left), encoding="utf-8")
    with scratch_for(tmp_path) as scratch:
        assert not left.exists()
        assert scratch.is_dir()
    assert not scratch.exists()
    kept = tmp_path / "kept"
    kept.mkdir()
    (tmp_path / ".lock").write_text(str(kept), encoding="utf-8")
    with scratch_for(tmp_path):
        assert kept.is_dir()


def test_a_line_that_was_cut_is_made_again(bench: Bench, tmp_path: Path) -> None:
    out = tmp_path / "out"
    evaluate(wanted(bench), out, InOrder(), Silent())
    log = out / RESULTS
    log.write_bytes(log.read_bytes()[:-40])
    heard = Silent()
    evaluate(wanted(bench), out, InOrder(), heard)
    assert (len(heard.before), len(heard.made)) == (1, 1)
    assert len(read_results(out)) == 2


def test_a_broken_line_in_the_middle_is_named(bench: Bench, tmp_path: Path) -> None:
    out = tmp_path / "out"
    evaluate(wanted(bench), out, InOrder(), Silent())
    log = out / RESULTS
    log.write_bytes(b"nonsense\n" + log.read_bytes())
    with pytest.raises(EvaluationFailed, match="line 1 cannot be read"):
        evaluate(wanted(bench), out, InOrder(), Silent())


def test_a_folder_belongs_to_one_run(bench: Bench, tmp_path: Path) -> None:
    out = tmp_path / "out"
    evaluate(wanted(bench), out, InOrder(), Silent())
    with pytest.raises(EvaluationFailed, match=r"other settings.*--out"):
        evaluate(wanted(bench, settings=Settings(turns=3)), out, InOrder(), Silent())
    bench.task["problem_statement"] = "something else"
    with pytest.raises(EvaluationFailed, match="other tasks"):
        evaluate(wanted(bench), out, InOrder(), Silent())


def test_a_report_can_be_made_again(bench: Bench, tmp_path: Path) -> None:
    out = tmp_path / "out"
    evaluate(wanted(bench), out, InOrder(), Silent())
    first = (out / "report.html").read_bytes()
    (out / "report.html").unlink()
    assert report_again(out).read_bytes() == first
    with pytest.raises(EvaluationFailed, match="no results"):
        report_again(tmp_path / "empty")


@pytest.mark.parametrize(
    ("body", "stopped"),
    [
        ("import time; time.sleep(600)", Stopped.TIME),
        ("open('/outside-of-its-folder', 'w')", Stopped.OUTSIDE),
        (
            "import os\nfor _ in range(200):\n    if os.fork() == 0: import time; time.sleep(600)",
            Stopped.PROCESSES,
        ),
    ],
)
def test_tests_that_misbehave_are_stopped_and_reported(
    bench: Bench, tmp_path: Path, body: str, stopped: Stopped
) -> None:
    bench.with_tests(body)
    settings = Settings(
        examination=Examination(Bounds(seconds=2.0 if stopped is Stopped.TIME else 20.0, processes=30))
    )
    out = tmp_path / "out"
    result = only(evaluate(wanted(bench, settings=settings), out, InOrder(), Silent()))
    assert (result.status, result.stopped) == (Status.STOPPED, stopped)
    assert result.reason in (out / "report.html").read_text(encoding="utf-8").replace("&#x27;", "'")


def test_a_reference_that_does_not_apply_is_named(bench: Bench, tmp_path: Path) -> None:
    bench.task["patch"] = str(bench.task["patch"]).replace("return a - b", "return a * b")
    with pytest.raises(BadTasks, match="acme__calc-1: its patch does not apply"):
        evaluate(wanted(bench), tmp_path / "out", InOrder(), Silent())


def test_tests_that_do_not_apply_are_an_error_of_the_attempt(bench: Bench, tmp_path: Path) -> None:
    bench.task["test_patch"] = bench.patch({"calc.py": FIXED}).replace("return a - b", "return a * b")
    result = only(evaluate(wanted(bench), tmp_path / "out", InOrder(), Silent()))
    assert result.status is Status.ERROR
    assert "test_patch does not apply" in result.reason
    assert result.turns == 0, "no model was asked"


def test_a_model_that_cannot_be_asked_is_an_error_that_can_be_tried_again(
    bench: Bench, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    asked = wanted(bench, "gemini-3-pro")
    result = only(evaluate(asked, out, InOrder(), Silent()))
    assert result.status is Status.ERROR
    assert "GEMINI_API_KEY" in result.reason
    assert (out / "predictions.jsonl").read_bytes() == b"", "no patch is not an empty patch"
    again = Silent()
    evaluate(asked, out, InOrder(), again)
    assert (len(again.before), len(again.made)) == (0, 2)


def test_what_nobody_foresaw_costs_one_attempt_and_not_the_run(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("groundwire.evaluation.attempt.patch_of", full)
    for result in evaluate(wanted(bench), tmp_path / "out", InOrder(), Silent()):
        assert result.status is Status.ERROR
        assert "OSError: [Errno 28] No space left on device" in result.reason


def test_a_model_named_twice_makes_its_attempts_once(bench: Bench, tmp_path: Path) -> None:
    heard = Silent()
    evaluate(wanted(bench, "replay:exact", "replay:typo", "replay:exact"), tmp_path / "out", InOrder(), heard)
    assert heard.attempts == len(heard.made) == len({result.key for result in heard.made}) == 4


def test_what_the_disk_does_not_take_is_told_and_what_is_finished_is_kept(
    bench: Bench, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "report.html").mkdir()
    with pytest.raises(EvaluationFailed, match=r"report.html cannot be written: .* What is finished is kept"):
        evaluate(wanted(bench), out, InOrder(), Silent())
    assert len(read_results(out)) == 2


def test_a_folder_in_which_nothing_was_made_is_nobodys_yet(bench: Bench, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        evaluate(wanted(bench), out, InOrder(breaks_after=0), Silent())
    assert evaluate(wanted(bench, settings=Settings(turns=9)), out, InOrder(), Silent())


def test_a_patch_of_the_tests_does_not_help(bench: Bench, tmp_path: Path) -> None:
    """Whatever an agent writes into the files of the tests gives way to the task's own."""
    cheating = str(bench.task["patch"]) + bench.patch({"test_calc.py": "raise SystemExit(0)\n"})
    bench.task["patch"] = cheating
    result = only(evaluate(wanted(bench), tmp_path / "out", InOrder(), Silent()))
    assert result.status is Status.RESOLVED
    assert "SystemExit" in result.patch


def test_names_of_any_length_make_files_that_can_be() -> None:
    one, other = (Key("a" * 300, "gemini", model).slug for model in ("m/1", "m/2"))
    assert one != other
    assert max(len(f"{one}.html"), len(f"{other}.html")) < 255
    assert Key("a", "gemini", "replay:exact").slug == "a--gemini--replay_exact"
