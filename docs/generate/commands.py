"""docs/cli.md: the help texts of the command line, as the command line prints them."""

from __future__ import annotations

import io
import os
from contextlib import redirect_stdout, suppress
from unittest.mock import patch

from groundwire.cli import COMMANDS, main

HEAD = """\
# Commands

<!-- Made by `make pages` from the help texts in src/groundwire/cli/; edit those. -->

[Errors](errors.md) lists the exit codes.
"""


def page() -> str:
    """The whole page."""
    sections = [f"## groundwire\n\n```text\n{help_text()}```\n"]
    sections += [f"## groundwire {word}\n\n```text\n{help_text(word)}```\n" for word in COMMANDS]
    return f"{HEAD}\n" + "\n".join(sections)


def help_text(*words: str) -> str:
    """What `groundwire WORDS --help` prints on a terminal of 80 columns, without colours."""
    printed = io.StringIO()
    plain = {"COLUMNS": "80", "NO_COLOR": "1", "PYTHON_COLORS": "0"}
    with patch.dict(os.environ, plain), redirect_stdout(printed), suppress(SystemExit):
        main([*words, "--help"])
    return printed.getvalue()
