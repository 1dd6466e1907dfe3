"""docs/emulator.md says what the code does: its examples run, its names exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from groundwire.emulator import load_script
from groundwire.emulator.scenarios import catalogue

PAGE = (Path(__file__).parents[2] / "docs/emulator.md").read_text(encoding="utf-8")


def examples(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_python_example_prints_what_the_page_says() -> None:
    [program] = examples("python")
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True, timeout=60
    )
    assert f"```\n{done.stdout}```" in PAGE


def test_the_script_example_can_be_loaded(tmp_path: Path) -> None:
    [script] = examples("toml")
    file = tmp_path / "script.toml"
    file.write_text(script, encoding="utf-8")
    assert [call.name for step in load_script(file).step for call in step.call] == [
        "google_web_search",
        "write_file",
    ]


def test_every_scenario_it_names_exists() -> None:
    table = PAGE.partition("| scenario |")[2].partition("## Scripts")[0]
    named = re.findall(r"`([a-z0-9-]+)`", table)
    assert len(named) > 20
    assert set(named) <= set(catalogue())
