"""Show what is configured, where each credential came from, and what is missing.

No key is shown and nothing is sent. The exit code is 0 when at least one provider can be asked, else 3.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import msgspec

from groundwire.cli.duration import span
from groundwire.cli.examination import FoundCredential, ProviderReport, Report, examine
from groundwire.cli.printable import printable, printable_json
from groundwire.config import ConfigProblem, load_config
from groundwire.errors import CredentialError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The words of this command."""
    parser.add_argument("--json", action="store_true", help="print the report as one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Look, print, and say by the exit code whether anything can be asked."""
    home = Path.home()
    config = load_config(env=os.environ, cwd=Path.cwd(), home=home)
    report = examine(config, os.environ, time.time)
    if arguments.json:
        text = msgspec.json.format(msgspec.json.encode(report), indent=2).decode("utf-8")
        print(printable_json(text))
    else:
        print(as_text(report, home=home, now=time.time()))
    return 0 if any(provider.ready for provider in report.providers) else CredentialError.exit_code


def as_text(report: Report, *, home: Path, now: float) -> str:
    """The report for a person."""
    blocks = [
        [f"groundwire {report.version}"],
        ["Providers", *_table([row for one in report.providers for row in _rows(one, now)])],
        [
            f"Asked when you name none: {report.default_provider or 'nothing'} ({report.default_because})",
            f"Way to Gemini: {report.gemini_upstream or 'none'} ({report.gemini_upstream_because})",
        ],
    ]
    if report.settings:
        rows = [(one.name, str(one.value), f"from {one.where}") for one in report.settings]
        blocks.append(["Settings that are not the default", *_table(rows)])
    if report.files:
        blocks.append(["Files read", *(f"  {file}" for file in report.files)])
    if report.problems:
        lines = [str(ConfigProblem(one.file, one.line, one.reason)) for one in report.problems]
        blocks.append(["Problems", *(f"  {line}" for line in lines)])
    text = "\n\n".join("\n".join(block) for block in blocks)
    return printable(text.replace(f"{home}{os.sep}", f"~{os.sep}"))


def _rows(provider: ProviderReport, now: float) -> list[tuple[str, str, str]]:
    """A provider's lines: its state first, below it what else there is to know."""
    if provider.credential is None:
        rows = [
            (provider.name, "missing", str(provider.missing)),
            ("", "", f"fix: {provider.fix}"),
            ("", "", f"     ({provider.note})"),
        ]
    else:
        rows = [(provider.name, "ready", _told(provider.credential, provider.name, now))]
    if (special := provider.geminisearch) is not None:
        rows.append(("", "", f"the tool geminisearch uses: {_told(special, provider.name, now)}"))
    rows += [
        ("", "", f"also there, not used: {_told(one, provider.name, now)}")
        for one in provider.shadowed
        if special is None or one.where != special.where
    ]
    rows += [("", "", f"not usable: {one.where}: {one.reason}") for one in provider.unusable]
    return rows


def _told(found: FoundCredential, provider: str, now: float) -> str:
    """A provider's credential in words; for Gemini also where it leads, unless it is a key."""
    told = _described(found, now)
    if found.kind == "vertex_key":
        return f"Vertex AI, express mode: {told}"
    if found.kind == "adc":
        return f"Vertex AI, project {found.project} in {found.location}: {told}"
    return f"Code Assist: Google {told}" if provider == "gemini" and found.kind == "oauth" else told


def _described(found: FoundCredential, now: float) -> str:
    kind = {
        "api_key": "API key from ",
        "oauth": "sign-in from ",
        "adc": "credentials from ",
        "vertex_key": "API key from ",
        "corpus": "documents in ",
    }[found.kind]
    if found.ends is None:
        return kind + found.where
    if found.ends <= now:
        return f"{kind}{found.where}; its token has ended and is renewed at the next use"
    return f"{kind}{found.where}; its token lasts {span(found.ends - now)} more"


def _table(rows: list[tuple[str, str, str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    return [f"  {a:<{widths[0]}}  {b:<{widths[1]}}  {c}".rstrip() for a, b, c in rows]
