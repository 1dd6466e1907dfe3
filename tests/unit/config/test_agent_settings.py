"""What may be set about the agent, and that a project's file cannot set it."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.config import Config, load_config

OWN = """
[agent]
shell = true
proxy_looks_up = true
max_cost = 2
[agent.prices."gemini-9-flash"]
input = 1
output = 2.5
"""


def loaded(home: Path, *, own: str = "", project: str = "", env: dict[str, str] | None = None) -> Config:
    for folder, text in ((home / ".config" / "groundwire", own), (home / "project", project)):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "groundwire.toml").write_text(text, encoding="utf-8")
    return load_config(env=env or {}, cwd=home / "project", home=home)


def test_nothing_is_allowed_unless_it_is_set(tmp_path: Path) -> None:
    agent = loaded(tmp_path).agent
    assert (agent.shell, agent.proxy_looks_up) == (False, False)
    assert (agent.max_cost, dict(agent.prices)) == (None, {})


def test_ones_own_file_may_set_it(tmp_path: Path) -> None:
    config = loaded(tmp_path, own=OWN)
    assert not config.problems
    assert (config.agent.shell, config.agent.proxy_looks_up, config.agent.max_cost) == (True, True, 2.0)
    assert config.agent.prices == {"gemini-9-flash": {"input": 1, "output": 2.5}}


def test_a_projects_file_may_not(tmp_path: Path) -> None:
    config = loaded(tmp_path, project=OWN)
    assert config.agent == loaded(tmp_path).agent
    assert [problem.reason for problem in config.problems] == [
        "agent.shell counts only in your own file, not in a project's",
        "agent.proxy_looks_up counts only in your own file, not in a project's",
        "agent.max_cost counts only in your own file, not in a project's",
        "agent.prices counts only in your own file, not in a project's",
    ]


def test_the_environment_may_set_it(tmp_path: Path) -> None:
    env = {
        "GROUNDWIRE_AGENT_SHELL": "1",
        "GROUNDWIRE_AGENT_MAX_COST": "0.5",
        "GROUNDWIRE_AGENT_PRICES": '{"m": {"input": 1, "output": 1}}',
    }
    agent = loaded(tmp_path, env=env).agent
    assert (agent.shell, agent.max_cost, agent.prices) == (True, 0.5, {"m": {"input": 1, "output": 1}})


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("max_cost = 0", "must be a number of US dollars above 0"),
        ("max_cost = true", "must be a number of US dollars above 0"),
        ("prices = 3", "must be a table with a table of prices for each model"),
        ("prices = { m = 3 }", "must be a table with a table of prices for each model"),
        ("prices = { m = { input = 1 } }", "must give m an input and an output"),
        ("prices = { m = { input = 1, output = 2, tax = 3 } }", "otherwise only: input_long"),
        ('prices = { m = { input = 1, output = "2" } }', "must give m numbers of US dollars"),
        ('shell = "yes"', "must be true or false"),
    ],
)
def test_what_cannot_be_used_is_reported(tmp_path: Path, line: str, reason: str) -> None:
    config = loaded(tmp_path, own=f"[agent]\n{line}\n")
    assert len(config.problems) == 1
    assert reason in str(config.problems[0])
    assert config.agent == loaded(tmp_path).agent
