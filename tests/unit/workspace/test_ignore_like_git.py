"""Random git repositories full of ignore rules: our walk lists what `git ls-files` lists.

With `GROUNDWIRE_REPOSITORIES=1000` in the environment it compares a thousand of them.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from random import Random

import pytest

from groundwire.workspace.boundary import Workspace
from groundwire.workspace.ignore import Ignore
from groundwire.workspace.walk import walk

REPOSITORIES = int(os.environ.get("GROUNDWIRE_REPOSITORIES", "60"))
NAMES = (
    *("a", "b", "ab", "foo", "bar", "foobar", "build", "x.log", "y.txt", "é", "日本", "a b", " sp", "[x]"),
    *("a*b", "#h", "!n", "-d", "A", "b.txt", "tmp"),
)
ATOMS = (
    *(
        "a",
        "b",
        "foo",
        "bar",
        "*",
        "**",
        "?",
        "[ab]",
        "[!a]",
        "*.log",
        "*.txt",
        "x*",
        "/",
        "/",
        "foo*",
        "**/",
    ),
    *(
        "/**",
        "\\",
        "\\#h",
        "\\!n",
        "é",
        "日",
        "[[:alpha:]]",
        "[a-f]",
        "[]a]",
        "[^b]",
        "build/",
        "a b",
        " ",
        "  ",
    ),
    *("[", "]", "-", "f?o", "*o*", "b*r", "a**b"),
)


def build(folder: Path, seed: int) -> tuple[Path, dict[str, str]]:
    """A repository below `folder`, and the environment with a home of its own that git shall see."""
    random = Random(seed)
    home, repository = folder / "home", folder / "repository"
    home.mkdir()
    repository.mkdir()
    environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
    subprocess.run(["git", "init", "-q", str(repository)], env=environment, check=True)
    _fill(repository, random, 0)
    if random.random() < 0.3:
        with open(repository / ".git/info/exclude", "a", encoding="utf-8") as stream:
            stream.write(_rule(random) + "\n")
    if random.random() < 0.3:
        (home / ".config/git").mkdir(parents=True)
        (home / ".config/git/ignore").write_text(_rule(random) + "\n*.log\n", encoding="utf-8")
    elif random.random() < 0.2:
        (home / ".gitconfig").write_text("[core]\n\texcludesFile = ~/mine\n", encoding="utf-8")
        (home / "mine").write_text(_rule(random) + "\n", encoding="utf-8")
    return repository, environment


def _fill(folder: Path, random: Random, depth: int) -> None:
    for name in random.sample(NAMES, random.randint(1, 7)):
        if depth < 4 and random.random() < 0.45:
            (folder / name).mkdir()
            _fill(folder / name, random, depth + 1)
        elif random.random() < 0.08:
            (folder / name).symlink_to(random.choice(("a", "..", "nowhere", "foo")))
        else:
            (folder / name).write_bytes(b"")
    if random.random() < (0.9 if depth == 0 else 0.3):
        mark = "\ufeff" if random.random() < 0.1 else ""
        lines = [
            _rule(random) + random.choice(("\n", "\n", " \n", "\r\n")) for _ in range(random.randint(1, 6))
        ]
        (folder / ".gitignore").write_bytes((mark + "".join(lines)).encode())


def _rule(random: Random) -> str:
    sign = "!" if random.random() < 0.25 else "# " if random.random() < 0.05 else ""
    return sign + "".join(random.choice(ATOMS) for _ in range(random.randint(1, 4)))


def listed_by_git(repository: Path, environment: dict[str, str]) -> set[str]:
    """What git does not ignore."""
    command = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
    output = subprocess.run(command, cwd=repository, env=environment, capture_output=True, check=True).stdout
    return {os.fsdecode(path) for path in output.split(b"\0") if path}


def listed_by_us(repository: Path, environment: dict[str, str]) -> set[str]:
    """What our walk does not ignore."""
    workspace = Workspace(repository)
    ignore = Ignore(workspace, gemini=False, environment=environment)
    found = walk(
        workspace,
        workspace.resolve("."),
        ignore=ignore,
        state=True,
        enter=lambda state, name: True,
        want=lambda state: bool,
    )
    return {file.path for file in found}


@pytest.mark.parametrize("seed", range(REPOSITORIES))
def test_our_walk_lists_what_git_lists(tmp_path: Path, seed: int) -> None:
    repository, environment = build(tmp_path, seed)
    assert listed_by_us(repository, environment) == listed_by_git(repository, environment)
