"""The OAuth client of a Gemini CLI that is installed on this machine, read out of its program files.

Gemini CLI carries its client's id and secret in its JavaScript, as installed programs do. They are looked for
only when a person asks for that, in the folder the command `gemini` leads to and in npm's global folders.
"""

from __future__ import annotations

import mmap
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from groundwire.credentials.google_oauth import Client
from groundwire.secret import Secret

PACKAGES = ("@google/gemini-cli", "@google/gemini-cli-core")
_MAX_FILES, _MAX_FILE_BYTES = 2000, 128 * 1024 * 1024
_ID = re.compile(rb"""OAUTH_CLIENT_ID\s*=\s*["']([\w.-]{10,200})["']""")
_SECRET = re.compile(rb"""OAUTH_CLIENT_SECRET\s*=\s*["']([\w.-]{10,200})["']""")


def gemini_cli_client(
    env: Mapping[str, str], home: Path, which: Callable[..., str | None] = shutil.which
) -> Client | None:
    """The client of the first Gemini CLI that is found; None when there is none."""
    for folder in _folders(env, home, which):
        for script in _scripts(folder):
            found = client_in(script)
            if found is not None:
                return Client(*found, where=f"Gemini CLI ({folder})")
    return None


def client_in(script: Path) -> tuple[str, Secret] | None:
    """The id and the secret that a script declares."""
    try:
        with script.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
            client_id, secret = _ID.search(content), _SECRET.search(content)
            if client_id is None or secret is None:
                return None
            return client_id.group(1).decode("ascii"), Secret(secret.group(1).decode("ascii"))
    except (OSError, ValueError):  # ValueError: an empty file cannot be mapped
        return None


def _folders(env: Mapping[str, str], home: Path, which: Callable[..., str | None]) -> Iterator[Path]:
    """The folders of installed packages, each once."""
    path = env.get("PATH", "")
    roots: list[Path] = []
    if command := which("gemini", path=path):
        roots += [parent / "node_modules" for parent in Path(command).resolve().parents]
        roots += [parent for parent in Path(command).resolve().parents if parent.name == "node_modules"]
    for program in ("npm", "node"):
        if found := which(program, path=path):
            roots.append(Path(found).parent.parent / "lib" / "node_modules")
    if prefix := env.get("npm_config_prefix") or env.get("NPM_CONFIG_PREFIX"):
        roots.append(Path(prefix) / "lib" / "node_modules")
    roots += [home / ".npm-global" / "lib" / "node_modules"]
    if roaming := env.get("APPDATA"):
        roots.append(Path(roaming) / "npm" / "node_modules")
    seen: set[Path] = set()
    for root in roots:
        for package in PACKAGES:
            folder = root / package
            if folder not in seen and folder.is_dir():
                seen.add(folder)
                yield folder


def _scripts(folder: Path) -> Iterator[Path]:
    """The scripts of a package that may hold the client: first where its sources have it."""
    known = folder / "dist" / "src" / "code_assist" / "oauth2.js"
    if known.is_file():
        yield known
    for count, script in enumerate(folder.rglob("*.js")):
        if count >= _MAX_FILES:
            return
        if script.is_file() and script.stat().st_size <= _MAX_FILE_BYTES:
            yield script
