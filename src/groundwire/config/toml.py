"""groundwire.toml, the user's and the project's: read, with names that are no setting reported.

A project's file comes with a repository somebody else may have written, so it is not trusted to say where
keys are sent, with whose client one signs in, nor what an agent may do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from groundwire.config.checks import CHECKS
from groundwire.config.files import ConfigProblem, Unreadable, line_of_key, parse_toml, read_text
from groundwire.config.layer import Found, Layer
from groundwire.config.worktree import upwards, worktree_root

FILE_NAME = "groundwire.toml"

_OWN_SECTIONS = ("urls.", "google.", "vertex.", "agent.")


def project_file(cwd: Path) -> Path | None:
    """The nearest groundwire.toml up to the worktree root; outside a worktree only that of `cwd` itself."""
    folders = upwards(cwd, worktree_root(cwd) or cwd)
    return next((path for folder in folders if (path := folder / FILE_NAME).is_file()), None)


def read_toml(path: Path, *, trusted: bool) -> Layer:
    """What a groundwire.toml says; nothing when it is not there."""
    try:
        text = read_text(path)
        if text is None:
            return Layer()
        document = parse_toml(text)
    except Unreadable as trouble:
        return Layer(files=(path,), problems=(ConfigProblem(str(path), trouble.line, trouble.reason),))
    found: dict[str, Found] = {}
    problems: list[ConfigProblem] = []
    for setting, value in _leaves(document):
        line = line_of_key(text, setting.split("."))
        if (reason := _refused(setting, trusted)) is not None:
            problems.append(ConfigProblem(str(path), line, reason))
            continue
        if setting == "local.corpus" and isinstance(value, str) and not value.startswith("~"):
            value = str(path.parent / value)  # relative to the file that names it
        found[setting] = Found(value, str(path), line, setting)
    return Layer(found, (path,), tuple(problems))


def _leaves(document: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in document.items():
        if isinstance(value, dict) and f"{prefix}{name}" not in CHECKS:
            yield from _leaves(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _perhaps(setting: str) -> str:
    """The setting that was probably meant: the one of that name in another section."""
    meant = [known for known in CHECKS if known.rpartition(".")[2] == setting.rpartition(".")[2]]
    return f"; {meant[0]} is" if len(meant) == 1 else ""


def _refused(setting: str, trusted: bool) -> str | None:
    if setting.endswith(".api_key"):
        return f"{setting}: keys are not read from {FILE_NAME}; run: groundwire login"
    if setting not in CHECKS:
        return f"{setting} is not a setting{_perhaps(setting)}"
    own_only = setting.startswith(_OWN_SECTIONS) or setting in ("allow_insecure_http", "gemini.upstream")
    if not trusted and own_only:
        return f"{setting} counts only in your own file, not in a project's"
    return None
