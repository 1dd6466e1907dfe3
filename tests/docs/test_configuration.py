"""docs/configuration.md says what the code does: its table, its examples and its steps."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from groundwire.config import load_config
from groundwire.config.checks import CHECKS
from groundwire.config.load import variable_of

PAGE = (Path(__file__).parents[2] / "docs/configuration.md").read_text(encoding="utf-8")


def example(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found.group(1)


def test_the_table_has_every_setting_with_its_variable() -> None:
    rows = dict(re.findall(r"^\| `([a-z_.]+)` \| `([A-Z_]+)` \|", PAGE, re.MULTILINE))
    assert rows == {name: variable_of(name) for name in CHECKS if not name.endswith(".api_key")}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / ".config/groundwire").mkdir(parents=True)
    return tmp_path


def test_the_toml_example_works(home: Path) -> None:
    (home / ".config/groundwire/groundwire.toml").write_text(example("toml"), encoding="utf-8")
    config = load_config(env={}, cwd=home, home=home)
    assert config.problems == ()
    assert (config.search.provider, config.search.max_sources) == ("gemini", 8)
    assert config.openrouter.web_tool == "server_tool"
    assert config.local.corpus == home / "notes"
    assert config.gemini.base_url == "https://gemini-proxy.example.com"


def test_the_opencode_example_works(home: Path) -> None:
    (home / "opencode.jsonc").write_text(example("jsonc"), encoding="utf-8")
    config = load_config(env={"MY_KEY": "K"}, cwd=home, home=home)
    assert config.problems == ()
    assert config.geminisearch.api_key is not None
    models = (config.geminisearch.model, config.gemini.model, config.openai_oauth.model)
    assert models == ("gemini-2.5-flash", "gemini-2.5-pro", "gpt-5.1-codex")
    assert config.openrouter.model == "openai/o4-mini"
