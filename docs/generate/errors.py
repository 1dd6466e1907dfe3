"""docs/errors.md: every error of `groundwire.errors`, from the classes themselves."""

from __future__ import annotations

import inspect

from groundwire import errors
from groundwire.errors import GroundwireError

HEAD = """\
# Errors

<!-- Made by `make pages` from src/groundwire/errors.py; edit that. -->

Every failure that groundwire foresees has a stable code. A search never raises: `result.error.type` is the
code and `result.error.message` says what happened and what to do next. The command line ends with the exit
code; a server of ours answers with the HTTP status. In Python, calls other than searches raise the class.
"""

EXIT_CODES = """\
## Exit codes of the command line

| exit code | meaning |
|---|---|
| 0 | it worked; for `--provider all`, at least one provider answered |
| 1 | something else went wrong, for example a script of the emulator was not followed |
| 2 | the words typed, or a setting, are wrong; nothing was sent |
| 3 | a key, a sign-in or a folder of documents is missing |
| 4 | a provider was asked and gave no usable answer |
| 5 | nothing usable came back over the wire |
| 6 | a tool call failed |
| 7 | `groundwire run`: a change was not approved |
| 8 | `groundwire run`: a limit was reached, or the agent turned in circles |
| 9 | a session of the agent cannot be used: it is busy, damaged, or cannot be written |
| 130 | stopped with Ctrl-C |
| 141 | the reader of a pipe went away |

A search reports trouble on the wire under the provider's own code (for example `GEMINI_WEB_SEARCH_FAILED`),
because callers branch on that; the message says what happened.
"""


def page() -> str:
    """The whole page."""
    rows = "\n".join(row(kind) for kind in documented())
    return (
        f"{HEAD}\n{EXIT_CODES}\n## The tree\n\n```\n{tree()}\n```\n\n## All codes\n\n"
        "| code | class | exit code | HTTP status | what it means | usual hint |\n"
        f"|---|---|---|---|---|---|\n{rows}\n"
    )


def tree() -> str:
    """The drawing at the top of errors.py."""
    drawing = inspect.getdoc(errors) or ""
    lines = [line.rstrip() for line in drawing.splitlines()]
    start = next(number for number, line in enumerate(lines) if line.strip() == "GroundwireError")
    end = lines.index("", start)
    return inspect.cleandoc("\n" + "\n".join(lines[start:end]))


def documented() -> list[type[GroundwireError]]:
    """Every error of the tree, children right below their parents, as in the drawing."""
    # Other modules may add errors of their own; whether they are loaded must not change the page.
    kinds = [kind for kind in errors.every_error() if kind.__module__ == errors.__name__]
    ordered: list[type[GroundwireError]] = []

    def visit(kind: type[GroundwireError]) -> None:
        ordered.append(kind)
        for child in kinds:
            if child.__bases__[0] is kind:
                visit(child)

    visit(GroundwireError)
    return ordered


def row(kind: type[GroundwireError]) -> str:
    """One line of the table."""
    meaning = (inspect.getdoc(kind) or "").partition("\n\n")[0].replace("\n", " ")
    cells = (
        f"`{kind.code}`",
        f"`{kind.__name__}`",
        str(kind.exit_code),
        str(kind.http_status),
        meaning,
        kind.default_hint,
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
