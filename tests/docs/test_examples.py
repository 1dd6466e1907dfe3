"""Every example of README and docs is run, against an emulator on this machine:

    ```console           commands after `$ ` are run in a shell; an output that is shown is compared
    ```console single    the same, but only the first line is a command: its output shows `$ ` lines
    ```console server    one command that serves until stopped: it is started, compared and stopped
    ```python            is executed; a ```text block right after it is what it must print
    ```sh                is not run (set-up and real keys); its make targets and scripts must exist
    ``` … save=NAME      is written to the working directory first, for the blocks below it

The working directory looks like a fresh clone, HOME is empty, and no key is real.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.behaviour.conftest import served
from tests.docs.pages import ROOT, Block, blocks, pages
from tests.docs.running import run_console, run_python, run_server, steps

PAGES = [page for page in pages() if any(block.kind in ("console", "python") for block in blocks(page))]


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that looks like a clone, with an emulator behind every address groundwire asks."""
    for entry in ROOT.iterdir():
        if not entry.name.startswith(".") or entry.name == ".venv":
            (tmp_path / entry.name).symlink_to(entry)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MAKEFLAGS", "--old-file=.venv/.ready")  # the set-up is done, or tests would not run
    with served() as emulator:
        for name, value in emulator.env().items():
            monkeypatch.setenv(name, value)
        yield tmp_path


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_examples_of_a_page_do_what_it_shows(page: Path, clone: Path) -> None:
    complaints: list[str] = []
    found = blocks(page)
    for block, following in zip(found, [*found[1:], None], strict=True):
        if block.file_name:
            (clone / block.file_name).write_text(block.text, encoding="utf-8")
        told = run(block, following, page, clone)
        complaints += [f"{name_of(page)}:{block.line}: {complaint}" for complaint in told]
    assert not complaints, "\n\n".join(complaints)


def run(block: Block, following: Block | None, page: Path, clone: Path) -> list[str]:
    if block.kind == "console":
        wanted = steps(block.text, single="single" in block.words)
        return run_server(wanted[0], clone) if "server" in block.words else run_console(wanted, clone)
    if block.kind == "python":
        is_shown = following is not None and following.kind == "text" and adjoins(block, following)
        return run_python(block.text, following.text if following and is_shown else None, page, block.line)
    return []


def adjoins(block: Block, following: Block) -> bool:
    """Whether only blank lines stand between two blocks."""
    end = block.line + block.text.count("\n") + 1
    return following.line - end <= 2


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_commands_that_are_not_run_name_things_that_exist(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    for block in blocks(page):
        if block.kind != "sh":
            continue
        for line in block.text.splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] == ["make"]:
                unknown = {word for word in words[1:] if "=" not in word and word not in targets}
                assert not unknown, f"{name_of(page)}:{block.line}: no such make target: {unknown}"


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_links_lead_to_files_that_exist(page: Path) -> None:
    content = page.read_text(encoding="utf-8")
    prose = re.sub(r"```.*?```", "", content, flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", prose)
    relative = [target for target in targets if "://" not in target and not target.startswith("mailto:")]
    missing = [target for target in relative if not (page.parent / target).exists()]
    assert not missing, f"{name_of(page)} links to nothing: {missing}"


def test_the_first_page_leads_to_all_others() -> None:
    first = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    others = [page.name for page in (ROOT / "docs").glob("*.md") if page.name != "index.md"]
    assert [name for name in others if f"]({name})" not in first] == [], "add these pages to docs/index.md"
