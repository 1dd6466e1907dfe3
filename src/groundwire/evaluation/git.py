"""What an evaluation needs of git: commits, fresh worktrees, patches made and applied.

Nothing of the person's configuration takes part: no hooks, no changed line endings, no signing, no prompts.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from groundwire.errors import BadTasks, EvaluationFailed, GitFailed

GIT_SECONDS = 300.0
_SETTINGS = (
    "safe.directory=*",
    "core.hooksPath=/dev/null",
    "core.autocrlf=false",
    "core.fsmonitor=false",
    "core.attributesFile=/dev/null",
    "commit.gpgSign=false",
    "gc.auto=0",
    "advice.detachedHead=false",
    "diff.noprefix=false",
)
_BINARY = "* -diff\n"


def git(folder: Path, *words: str, given: bytes | None = None, settings: tuple[str, ...] = ()) -> bytes:
    """Run one git command in `folder`; what it printed."""
    command = ["git", *(word for setting in (*_SETTINGS, *settings) for word in ("-c", setting)), *words]
    try:
        done = subprocess.run(  # noqa: S603  (git, with words of ours)
            command,
            cwd=folder,
            env=_environment(),
            input=b"" if given is None else given,
            capture_output=True,
            check=False,
            timeout=GIT_SECONDS,
        )
    except FileNotFoundError:
        raise EvaluationFailed("git is not installed.", hint="Install git 2.20 or later.") from None
    except subprocess.TimeoutExpired:
        raise GitFailed(f"git {words[0]} took longer than {GIT_SECONDS:.0f} s.") from None
    if done.returncode != 0:
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
        raise GitFailed(f"git {words[0]}: {said or f'exit code {done.returncode}'}")
    return done.stdout


def _environment() -> dict[str, str]:
    """One author and one moment for every commit, so that the same files give the same commit."""
    who = {"NAME": "groundwire", "EMAIL": "groundwire@localhost", "DATE": "2026-01-01T00:00:00+00:00"}
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": os.devnull,
        "LC_ALL": "C",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        **{f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in who.items()},
    }


def check_commit(repository: Path, commit: str, task: str) -> None:
    """BadTasks when the repository does not have the commit."""
    try:
        git(repository, "cat-file", "-e", f"{commit}^{{commit}}")
    except GitFailed:
        raise BadTasks(
            f"{task}: {repository} has no commit {commit}.",
            hint="The clone may be shallow or old: git fetch --unshallow (or git fetch).",
        ) from None


@contextmanager
def worktree(repository: Path, commit: str, place: Path) -> Iterator[Path]:
    """A fresh checkout of a commit at `place`, gone afterwards."""
    with _alone(repository):
        git(repository, "worktree", "add", "--detach", "--force", str(place), commit)
    notes = Path((place / ".git").read_text(encoding="utf-8").removeprefix("gitdir:").strip())
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
        with _alone(repository):
            shutil.rmtree(notes, ignore_errors=True)


@contextmanager
def _alone(repository: Path) -> Iterator[None]:
    """While others wait: git reads every worktree's notes when it adds one, and fails if some vanish."""
    import fcntl  # noqa: PLC0415  (only where evaluations run: not on Windows)

    folder = repository / ".git"
    with (folder if folder.is_dir() else repository).joinpath("groundwire.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def patch_of(folder: Path, commit: str) -> str:
    """Everything that is different in `folder` from a commit, new and deleted files too.

    A file whose bytes are no UTF-8 goes in as a binary patch, so that the whole is a text.
    """
    git(folder, "add", "--all")
    words = ("diff", "--cached", "--binary", "--no-color", "--no-ext-diff", "--no-renames", commit)
    made = git(folder, *words)
    try:
        return made.decode("utf-8")
    except UnicodeDecodeError:
        with tempfile.NamedTemporaryFile("w", suffix=".attributes", encoding="utf-8") as attributes:
            attributes.write(_BINARY)
            attributes.flush()
            return git(folder, *words, settings=(f"core.attributesFile={attributes.name}",)).decode("utf-8")


def apply_patch(folder: Path, patch: str) -> None:
    """Apply a patch to the files in `folder`, all of it or nothing. GitFailed when it does not fit."""
    if patch.strip():
        git(folder, "apply", "--binary", "--whitespace=nowarn", "-", given=patch.encode())


def check_patch(folder: Path, patch: str) -> None:
    """GitFailed when a patch does not fit the files in `folder`; nothing is changed."""
    if patch.strip():
        git(folder, "apply", "--check", "--binary", "--whitespace=nowarn", "-", given=patch.encode())


def restore(folder: Path, commit: str, paths: set[str]) -> None:
    """Bring files back to what a commit has; files it does not have are removed."""
    for path in sorted(paths):
        try:
            git(folder, "checkout", "--quiet", commit, "--", path)
        except GitFailed:
            (folder / path).unlink(missing_ok=True)
