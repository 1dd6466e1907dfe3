"""Holds our reading of OpenCode's files against the real OpenCode: order, substitutions, auth store.

    python conformance/opencode_files.py [--opencode PATH]

`--opencode` (or OPENCODE_BIN) is the program. Nothing is sent: `debug config` and `auth list` only read.
Prints one line per check and exits 1 when one fails.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from groundwire.config import load_config
from groundwire.credentials.store import FileStore

LOCK = '{"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}}'
TIMEOUT_SECONDS = 120


class Machine:
    """A home, a repository with a folder in it, and both programs looking at them."""

    def __init__(self, program: str, root: Path) -> None:
        self.program, self.home, self.project = program, root / "home", root / "project"
        self.root, self.here = root, root / "project" / "inner"
        self.here.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "npm_config_offline": "true",
        }
        self._no_packages(self.home / ".config" / "opencode")

    def write(self, path: Path, text: str) -> None:
        """A file; folders that OpenCode would install packages into look as if it had."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if path.parent.name in (".opencode", "extra"):
            self._no_packages(path.parent)

    def _no_packages(self, folder: Path) -> None:
        (folder / "node_modules").mkdir(parents=True, exist_ok=True)
        (folder / "package-lock.json").write_text(LOCK, encoding="utf-8")

    def run(self, *words: str) -> str:
        """What OpenCode prints."""
        done = subprocess.run(
            [self.program, *words],
            env=self.env,
            cwd=self.here,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
        return done.stdout if done.returncode == 0 else f"exit {done.returncode}: {done.stderr[-300:]}"

    def theirs(self) -> str | None:
        """The model OpenCode has after merging everything; an empty one means none."""
        printed = self.run("debug", "config")
        assert printed.startswith("{"), printed
        options = json.loads(printed).get("provider", {}).get("google", {}).get("options", {})
        return options.get("websearch", {}).get("model") or None

    def ours(self) -> str | None:
        """The model we have."""
        return load_config(env=self.env, cwd=self.here, home=self.home).gemini.model


def model(name: str) -> str:
    """A configuration that names a model."""
    block = {"google": {"options": {"websearch": {"model": name}}}}
    return json.dumps({"$schema": "https://opencode.ai/config.json", "provider": block})


def check_order(machine: Machine) -> None:
    """Each place, added from low to high, takes over in both."""
    user, extra = machine.home / ".config" / "opencode", machine.root / "extra"
    places = [
        *(user / name for name in ("config.json", "opencode.json", "opencode.jsonc")),
        machine.root / "named.json",
        *(
            folder / name
            for folder in (machine.project, machine.here)
            for name in ("opencode.json", "opencode.jsonc")
        ),
        machine.here / ".opencode" / "opencode.json",
        *(machine.project / ".opencode" / name for name in ("opencode.json", "opencode.jsonc")),
        machine.home / ".opencode" / "opencode.json",
        extra / "opencode.json",
    ]
    for number, place in enumerate(places):
        machine.write(place, model(f"m{number}"))
        if place.name == "named.json":
            machine.env["OPENCODE_CONFIG"] = str(place)
        if place.parent == extra:
            machine.env["OPENCODE_CONFIG_DIR"] = str(extra)
        assert machine.theirs() == machine.ours() == f"m{number}", place
    machine.env["OPENCODE_CONFIG_CONTENT"] = model("content")
    assert machine.theirs() == machine.ours() == "content"


def check_substitutions(machine: Machine) -> None:
    """`{env:X}` and `{file:p}` give the same text."""
    machine.write(machine.here / "value", '  a"b\\c é \n')
    machine.write(machine.home / "at-home", "from home\n")
    machine.env["X"] = "from env"
    for text in (
        "{file:value}",
        "{file:./value}",
        "{file:~/at-home}",
        "{env:X}",
        "{env:NOT_SET}",
        "a{env:X}b",
    ):
        machine.write(machine.here / "opencode.json", model("MARK").replace("MARK", text))
        assert machine.theirs() == machine.ours(), text


def check_comments_and_commas(machine: Machine) -> None:
    """Comments and trailing commas, also in .json; a file named in a comment line is not looked for."""
    text = model("ok").replace('"provider"', '\n// "{file:not-there}"\n"provider"').replace("}}}}", "},},},}")
    machine.write(machine.here / "opencode.json", text)
    assert machine.theirs() == machine.ours() == "ok"


def check_outside_a_repository(machine: Machine) -> None:
    """Without a repository both look all the way up."""
    (machine.project / ".git").rename(machine.root / "was-git")
    machine.write(machine.root / "opencode.json", model("above"))
    assert machine.theirs() == machine.ours() == "above"


def check_auth_store(machine: Machine) -> None:
    """OpenCode still knows every provider after we wrote a renewed token into its store."""
    path = machine.home / ".local" / "share" / "opencode" / "auth.json"
    signed_in = {"type": "oauth", "refresh": "r", "access": "a", "expires": 1, "accountId": "acc"}
    records = {
        "google": {"type": "api", "key": "K"},
        "openai": signed_in,
        "mistral": {"type": "api", "key": "M"},
    }
    machine.write(path, json.dumps(records, indent=2))
    before = machine.run("auth", "list")
    FileStore(path, "OpenCode's auth.json").put({("openai", "access"): "b", ("openai", "expires"): 2})
    assert "3 credentials" in before, before
    assert machine.run("auth", "list") == before


CHECKS: tuple[Callable[[Machine], None], ...] = (
    check_order,
    check_substitutions,
    check_comments_and_commas,
    check_outside_a_repository,
    check_auth_store,
)


def one_line(problem: Exception) -> str:
    """A problem in one line, so that one line stays one check."""
    return f"{type(problem).__name__}: {' '.join(str(problem).split())[:600]}"


def main() -> int:
    """Run each check on a machine of its own; 1 when one failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--opencode", default=os.environ.get("OPENCODE_BIN", "opencode"))
    program = parser.parse_args().opencode
    failures = 0
    for check in CHECKS:
        sentence = (check.__doc__ or "").splitlines()[0]
        with tempfile.TemporaryDirectory() as root:
            try:
                check(Machine(program, Path(root)))
            except (AssertionError, OSError, subprocess.SubprocessError) as problem:
                failures += 1
                print(f"FAIL  {sentence} -- {one_line(problem)}", flush=True)
            else:
                print(f"ok    {sentence}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
