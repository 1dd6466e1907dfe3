"""Runs the examples of a page and compares what they print with what the page shows.

`...` in a shown output stands for anything, within a line or over many.
"""

from __future__ import annotations

import difflib
import io
import os
import re
import subprocess
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

SERVER_READY = "Listening on"

_END = "\x1e"
_PORT = re.compile(r"(127\.0\.0\.1):\d+")


@dataclass(frozen=True)
class Step:
    """A command after `$ `, and the output the page shows below it (empty when it shows none)."""

    command: str
    shown: str


def steps(text: str, *, single: bool = False) -> list[Step]:
    """The commands of a console block (or its first line alone) with their shown outputs.

    A line that starts with `> ` continues a command.
    """
    found: list[Step] = []
    for line in text.splitlines():
        if line.startswith("$ ") and not (single and found):
            found.append(Step(line[2:], ""))
        elif line.startswith("> ") and not found[-1].shown:
            found[-1] = Step(f"{found[-1].command}\n{line[2:]}", "")
        else:
            found[-1] = Step(found[-1].command, f"{found[-1].shown}{line}\n")
    return found


def run_console(wanted: list[Step], folder: Path) -> list[str]:
    """Run the commands of one block in one shell; what is wrong, a readable complaint each."""
    script = "\n".join(f"{step.command}\nprintf '{_END}%s{_END}' $?" for step in wanted)
    told = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
        check=False,
    ).stdout.decode("utf-8")
    pieces = told.split(_END)
    outputs, codes = pieces[0::2], pieces[1::2]
    complaints = []
    for step, output, code in zip(wanted, outputs, codes, strict=False):
        if code != "0":
            complaints.append(f"$ {step.command}\nended with exit code {code}:\n{output}")
        elif step.shown and (difference := compare(step.shown, output)):
            complaints.append(f"$ {step.command}\n{difference}")
    if len(codes) < len(wanted):
        complaints.append(f"the shell ended early:\n{told}")
    return complaints


def run_server(step: Step, folder: Path) -> list[str]:
    """Start a command that serves until it is stopped, on a free port, and stop it when it is ready."""
    serving = subprocess.Popen(
        ["bash", "-c", f"exec {step.command} --port 0"],
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    assert serving.stdout is not None
    with serving:
        lines: list[str] = []
        for line in serving.stdout:
            lines.append(line.decode("utf-8"))
            if SERVER_READY in lines[-1]:
                break
        serving.terminate()
    difference = compare(step.shown, "".join(lines))
    return [f"$ {step.command}\n{difference}"] if difference else []


def run_python(code: str, shown: str | None, page: Path, line: int) -> list[str]:
    """Execute a Python block in a namespace of its own, with the line numbers of its page."""
    printed = io.StringIO()
    program = compile("\n" * line + code, str(page), "exec")
    with redirect_stdout(printed):
        exec(program, {"__name__": "__main__"})
    difference = compare(shown, printed.getvalue()) if shown is not None else ""
    return [f"The Python block at line {line} prints something else:\n{difference}"] if difference else []


def compare(shown: str, printed: str) -> str:
    """Nothing when the output is as shown, else a diff. Ports are compared as if all were the same."""
    shown, printed = (_PORT.sub(r"\1:PORT", text).strip("\n") for text in (shown, printed))
    pattern = ".*".join(re.escape(piece) for piece in shown.split("..."))
    if re.fullmatch(pattern, printed, re.DOTALL):
        return ""
    lines = difflib.unified_diff(
        shown.splitlines(), printed.splitlines(), "shown on the page", "printed", lineterm=""
    )
    return "\n".join(lines)


def environment() -> dict[str, str]:
    """This process's environment with the tested groundwire first in PATH."""
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
