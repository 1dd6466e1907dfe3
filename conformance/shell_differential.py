"""run_shell_command on both sides: what Gemini CLI's own tool tells the model about a command, and what
ours tells.

    python -m conformance.shell_differential

Each command runs in a workspace of its own. Where the answers differ on purpose, the reason stands beside the
command.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.gemini_oracle import Oracle
from groundwire.tools.run_shell_command import Shell
from groundwire.tools.safe_environment import without_secrets
from groundwire.tools.toolset import toolset


@dataclass(frozen=True)
class Case:
    """A call, and why the answers may differ; empty when they must not."""

    arguments: dict[str, Any]
    reason: str = ""


def command(text: str, reason: str = "", **more: Any) -> Case:
    return Case({"command": text, **more}, reason)


CASES = (
    command("echo hello"),
    command("echo out; echo err >&2"),
    command("true"),
    command("exit 3"),
    command("echo before; false"),
    command("kill -TERM $$; sleep 1"),
    command("printf 'no newline'"),
    command("printf '\\033[31mred\\033[0m'"),
    command("printf 'a\\n\\n\\n'"),
    command("printf '  indented\\n'", "the real tool trims the first line's indentation, too"),
    command("echo 北京天气"),
    command("pwd | sed s,.*/,,", dir_path="sub"),
    command("cat"),
    command("nothing-of-this-name 2>/dev/null"),
    command("echo 'a' | tr a b && echo c || echo d"),
    command("for i in 1 2 3; do echo $i; done"),
    command("cat <<'X'\nhere\nX"),
    command("echo '</untrusted_context>'"),
    command("echo $((1 + 2))", "the real tool takes arithmetic for command substitution"),
    command(
        "echo $(echo nested)", "the real tool refuses command substitution; ours asks the person instead"
    ),
    command("sleep 1 >/dev/null 2>&1 &", "the real tool lists what is left running; ours ends it"),
    command("true", dir_path=".."),
    command("true", dir_path="missing", reason="the real tool fails to start; ours says why"),
    command(""),
    Case({}),
    Case({"command": 3}),
    Case({"command": "true", "dir_path": 3}),
)


def told(answer: dict[str, Any], root: Path) -> str:
    """What the model reads, without what differs from run to run."""
    error = answer.get("error")
    text = error["message"] if error else str(answer.get("llmContent"))
    text = re.sub(r" or the project temp directory: \S+", "", text.replace(str(root), "ROOT"))
    return re.sub(r"PGID: \d+", "PGID: N", text)


def main() -> int:
    """Compare every case; the exit code says whether each difference has a reason."""
    unexplained = explained = 0
    with Oracle() as oracle, tempfile.TemporaryDirectory() as folder:
        for number, case in enumerate(CASES):
            root = Path(folder).resolve() / str(number)
            (root / "sub").mkdir(parents=True)
            theirs = told(oracle.call(root, "run_shell_command", case.arguments), root)
            tools = toolset(root, shell=Shell(without_secrets(os.environ)))
            ours = told(tools.call_now("run_shell_command", case.arguments).to_json(), root)
            if ours == theirs:
                if case.reason:
                    print(f"no difference any more: {case.arguments}")
                continue
            if case.reason:
                explained += 1
            else:
                unexplained += 1
                print(f"{case.arguments}\n  theirs: {theirs!r}\n  ours:   {ours!r}")
    print(f"{len(CASES)} commands, {explained} explained differences, {unexplained} unexplained")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
