"""OpenCode's configuration: its files in its own order, its `{env:X}` and `{file:p}`, and the keys we use.

The order, low to high, was measured on OpenCode 1.18:

 1. `$XDG_CONFIG_HOME/opencode/` config.json, opencode.json, opencode.jsonc
 2. the file named by `$OPENCODE_CONFIG`
 3. opencode.json, opencode.jsonc of the project, from the worktree root down to the working directory
 4. `.opencode/` opencode.json, opencode.jsonc, nearest first, so the root's wins
 5. `~/.opencode/`
 6. the folder named by `$OPENCODE_CONFIG_DIR`
 7. the text in `$OPENCODE_CONFIG_CONTENT`
 8. the folder of managed settings (`/etc/opencode`)

Objects merge key by key, so reading the leaves we use file by file gives what OpenCode's deep merge gives.
`$OPENCODE_DISABLE_PROJECT_CONFIG` leaves out 3 and 4.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from groundwire.config.files import ConfigProblem, Unreadable, line_of_key, parse_jsonc, read_text
from groundwire.config.layer import Found, Layer
from groundwire.config.worktree import upwards, worktree_root

_NAMES = ("opencode.json", "opencode.jsonc")
_ENV = re.compile(r"\{env:([^}]+)\}")
_FILE = re.compile(r"\{file:([^}]+)\}")

# Setting: the paths it is read from under `provider`, best first. `websearch` is what the specification
# names; `websearch_cited` is what users of the plugin of that name already have.
KEYS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "geminisearch.api_key": (("geminisearch", "options", "apiKey"),),
    "geminisearch.model": (("geminisearch", "options", "model"),),
    "gemini.api_key": (("google", "options", "apiKey"),),
    "openrouter.api_key": (("openrouter", "options", "apiKey"),),
    "gemini.model": (
        ("google", "options", "websearch", "model"),
        ("google", "options", "websearch_cited", "model"),
    ),
    "openai_oauth.model": (
        ("openai", "options", "websearch", "model"),
        ("openai", "options", "websearch_cited", "model"),
    ),
    "openrouter.model": (
        ("openrouter", "options", "websearch", "model"),
        ("openrouter", "options", "websearch_cited", "model"),
    ),
    "google.project": (("gemini-cli", "options", "projectId"), ("google", "options", "projectId")),
}


@dataclass(frozen=True, slots=True)
class _Document:
    """One configuration text and the folder its relative `{file:p}` start from."""

    source: str
    folder: Path
    text: str


def read_opencode(*, env: Mapping[str, str], cwd: Path, home: Path, managed: Path | None = None) -> Layer:
    """Read every place OpenCode reads; a broken one becomes a problem and the others still count."""
    leaves: dict[tuple[str, ...], Found] = {}
    files: list[Path] = []
    problems: list[ConfigProblem] = []
    for place in _places(env, cwd, home, managed or managed_folder(env)):
        source = str(place) if isinstance(place, Path) else place.source
        try:
            document = _open(place) if isinstance(place, Path) else place
            if document is None:
                continue
            if isinstance(place, Path):
                files.append(place)
            text = _substitute(document, env, home, problems)
            _collect(parse_jsonc(text), text, source, leaves, problems)
        except Unreadable as trouble:
            problems.append(ConfigProblem(source, trouble.line, trouble.reason))
    found: dict[str, Found] = {}
    for setting, paths in KEYS.items():
        for path in reversed(paths):
            # An empty text (an unset `{env:X}`) means that the key is not set.
            if path in leaves and leaves[path].value != "":
                found[setting] = leaves[path]
    return Layer(found, tuple(files), tuple(problems))


def managed_folder(env: Mapping[str, str]) -> Path:
    """Where an administrator's settings are on this system."""
    if sys.platform == "darwin":
        return Path("/Library/Application Support/opencode")
    if sys.platform == "win32":
        return Path(env.get("ProgramData") or "C:\\ProgramData") / "opencode"
    return Path("/etc/opencode")


def _places(env: Mapping[str, str], cwd: Path, home: Path, managed: Path) -> Iterator[Path | _Document]:
    xdg = env.get("XDG_CONFIG_HOME")
    user = cwd / xdg if xdg else home / ".config"
    yield from (user / "opencode" / name for name in ("config.json", *_NAMES))  # 1
    if named := env.get("OPENCODE_CONFIG"):
        yield cwd / named  # 2
    if not _is_on(env.get("OPENCODE_DISABLE_PROJECT_CONFIG")):
        # Outside a worktree OpenCode looks up to the root of the disk.
        folders = upwards(cwd, worktree_root(cwd) or Path(cwd.anchor))
        yield from (folder / name for folder in reversed(folders) for name in _NAMES)  # 3
        yield from (folder / ".opencode" / name for folder in folders for name in _NAMES)  # 4
    yield from (home / ".opencode" / name for name in _NAMES)  # 5
    if extra := env.get("OPENCODE_CONFIG_DIR"):
        yield from (cwd / extra / name for name in _NAMES)  # 6
    if content := env.get("OPENCODE_CONFIG_CONTENT"):
        yield _Document("OPENCODE_CONFIG_CONTENT", cwd, content)  # 7
    yield from (managed / name for name in _NAMES)  # 8


def _is_on(value: str | None) -> bool:
    return (value or "").lower() in ("1", "true")


def _open(path: Path) -> _Document | None:
    text = read_text(path)
    return None if text is None else _Document(str(path), path.parent, text)


def _substitute(
    document: _Document, env: Mapping[str, str], home: Path, problems: list[ConfigProblem]
) -> str:
    """`{env:X}` as raw text (OpenCode does not escape it), then `{file:p}` trimmed and escaped."""
    text = _ENV.sub(lambda match: env.get(match.group(1), ""), document.text)

    def contents(match: re.Match[str]) -> str:
        before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if before.lstrip().startswith("//"):
            return match.group(0)
        name = match.group(1)
        path = home / name[2:] if name.startswith("~/") else document.folder / name
        try:
            inserted = read_text(path)
            reason = "the file named by {file:…} does not exist"
        except Unreadable as trouble:
            inserted, reason = None, f"the file named by {{file:…}}: {trouble.reason}"
        if inserted is None:
            line = text.count("\n", 0, match.start()) + 1
            problems.append(ConfigProblem(document.source, line, f"{reason} ({path})"))
            return ""
        return msgspec.json.encode(inserted.strip()).decode("utf-8")[1:-1]

    return _FILE.sub(contents, text)


def _collect(
    content: dict[str, object],
    text: str,
    source: str,
    leaves: dict[tuple[str, ...], Found],
    problems: list[ConfigProblem],
) -> None:
    """Put each leaf we use into `leaves`, over what a lower file said."""
    for path in (path for paths in KEYS.values() for path in paths):
        full = ("provider", *path)
        value: object = content
        for depth, name in enumerate(full):
            if not isinstance(value, dict):
                problem = ConfigProblem(
                    source, line_of_key(text, full[:depth]), f"{'.'.join(full[:depth])} must be an object"
                )
                if problem not in problems:
                    problems.append(problem)
                break
            if name not in value:
                break
            value = value[name]
        else:
            leaves[path] = Found(value, source, line_of_key(text, full), ".".join(full))
