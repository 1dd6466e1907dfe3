"""Lets the real Codex CLI and groundwire take turns with one auth.json: neither spoils the other's sign-in.

    python conformance/codex_store.py [--codex PATH]

`--codex` (or CODEX_BIN) is the program; an emulator is started here. Prints one line per check and exits 1
when one fails.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from codex_cli import Codex, answer, running

from groundwire.citations import WebSearchResult
from groundwire.config import load_config
from groundwire.emulator import Emulator
from groundwire.runtime import Runtime

FIFTEEN_DAYS = 15 * 24 * 3600


def search(codex: Codex, *, later: float = 0.0) -> WebSearchResult:
    """A search of ours with Codex's sign-in, on a clock that may be ahead."""
    env = {
        "CODEX_HOME": str(codex.home),
        "GROUNDWIRE_CODEX_BASE_URL": f"{codex.url}/backend-api/codex",
        "GROUNDWIRE_OPENAI_OAUTH_URL": codex.url,
    }
    config = load_config(env=env, cwd=codex.home, home=codex.home)

    async def ask() -> WebSearchResult:
        async with Runtime(config, env=env, clock=lambda: time.time() + later) as runtime:
            return await runtime.search("weather in Beijing", "openai_oauth")

    return asyncio.run(ask())


def check_we_use_codexs_sign_in(codex: Codex) -> None:
    """A fresh sign-in is used as it is; the file does not change by a byte."""
    assert "Successfully logged in" in codex.sign_in()
    before = (codex.home / "auth.json").read_bytes()
    result = search(codex)
    assert result.error is None, result.error
    assert (codex.home / "auth.json").read_bytes() == before


def check_codex_goes_on_after_we_renewed(codex: Codex) -> None:
    """We renew an old token; everything else in the file stays, and Codex answers with what we wrote."""
    before = codex.auth()
    result = search(codex, later=FIFTEEN_DAYS)
    assert result.error is None, result.error
    after = codex.auth()
    assert after["tokens"]["refresh_token"] != before["tokens"]["refresh_token"]
    assert list(after) == list(before)
    changed = {name for name in before["tokens"] if after["tokens"][name] != before["tokens"][name]}
    assert changed <= {"access_token", "refresh_token", "id_token"}, changed
    assert (codex.home / "auth.json").stat().st_mode & 0o777 == 0o600
    assert answer(codex.ask("hello")), "Codex did not answer"


def check_we_go_on_after_codex_renewed(codex: Codex) -> None:
    """Codex renews after a 401; the next search of ours uses its token and renews nothing."""
    assert answer(codex.ask("hello", scenario="codex-401-until-refresh"))
    before = codex.auth()
    result = search(codex)
    assert result.error is None, result.error
    assert codex.auth() == before


def check_signing_out_is_noticed(codex: Codex) -> None:
    """After `codex logout` we say that the sign-in is missing and how to get it."""
    codex.run("logout")
    result = search(codex)
    assert result.error is not None
    assert result.error.type == "MISSING_OPENAI_OAUTH_SESSION", result.error
    assert "codex login" in result.error.message


CHECKS: tuple[Callable[[Codex], None], ...] = (
    check_we_use_codexs_sign_in,
    check_codex_goes_on_after_we_renewed,
    check_we_go_on_after_codex_renewed,
    check_signing_out_is_noticed,
)


def one_line(problem: Exception) -> str:
    """A problem in one line, so that one line stays one check."""
    return f"{type(problem).__name__}: {' '.join(str(problem).split())[:600]}"


def main() -> int:
    """Run the checks in order on one sign-in; 1 when one failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--codex", default=os.environ.get("CODEX_BIN", "codex"))
    program = parser.parse_args().codex
    failures = 0
    with running(Emulator()) as url, tempfile.TemporaryDirectory() as home:
        codex = Codex(program, url, Path(home))
        for check in CHECKS:
            sentence = (check.__doc__ or "").splitlines()[0]
            try:
                check(codex)
            except (AssertionError, OSError, KeyError, json.JSONDecodeError) as problem:
                failures += 1
                print(f"FAIL  {sentence} -- {one_line(problem)}", flush=True)
            else:
                print(f"ok    {sentence}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
