"""OpenCode's configuration: its order, its substitutions, and the keys we take from it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.config import Config, load_config


def read(root: Path, env: dict[str, str] | None = None, cwd: Path | None = None) -> Config:
    return load_config(
        env=env or {}, cwd=cwd or root / "p", home=root / "h", opencode_managed=root / "managed"
    )


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def google_model(name: str) -> str:
    return json.dumps({"provider": {"google": {"options": {"websearch": {"model": name}}}}})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "p/.git").mkdir(parents=True)
    (tmp_path / "p/sub").mkdir()
    (tmp_path / "h").mkdir()
    return tmp_path


def test_the_order_is_opencodes_own(root: Path) -> None:
    env: dict[str, str] = {}
    low_to_high: list[Path | str] = [
        root / "h/.config/opencode/config.json",
        root / "h/.config/opencode/opencode.json",
        root / "h/.config/opencode/opencode.jsonc",
        root / "named.json",
        root / "p/opencode.json",
        root / "p/opencode.jsonc",
        root / "p/sub/opencode.json",
        root / "p/sub/opencode.jsonc",
        root / "p/sub/.opencode/opencode.json",
        root / "p/.opencode/opencode.json",
        root / "p/.opencode/opencode.jsonc",
        root / "h/.opencode/opencode.json",
        root / "extra/opencode.json",
        "OPENCODE_CONFIG_CONTENT",
        root / "managed/opencode.json",
    ]
    for number, place in enumerate(low_to_high):
        if isinstance(place, str):
            env[place] = google_model(f"m{number}")
        else:
            write(place, google_model(f"m{number}"))
            if place.name == "named.json":
                env["OPENCODE_CONFIG"] = str(place)
            if place.parent.name == "extra":
                env["OPENCODE_CONFIG_DIR"] = str(place.parent)
        config = read(root, env, cwd=root / "p/sub")
        assert config.gemini.model == f"m{number}"
        assert config.origins["gemini.model"] == str(place)


def test_project_files_can_be_switched_off_as_in_opencode(root: Path) -> None:
    write(root / "p/opencode.json", google_model("project"))
    write(root / "p/.opencode/opencode.json", google_model("project"))
    assert read(root, {"OPENCODE_DISABLE_PROJECT_CONFIG": "1"}).gemini.model is None


def test_the_geminisearch_block_is_read_with_comments_and_trailing_commas(root: Path) -> None:
    write(
        root / "p/opencode.jsonc",
        """{
  "$schema": "https://opencode.ai/config.json",
  "plugin": ["opencode-gemini-search"], // the plugin
  "provider": {
    "geminisearch": {
      "options": {
        "apiKey": "{env:GEMINI_API_KEY}",
        "model": "gemini-2.5-flash",
      },
    },
  },
}""",
    )
    config = read(root, {"GEMINI_API_KEY": "K1"})
    assert config.problems == ()
    assert config.geminisearch.model == "gemini-2.5-flash"
    assert config.geminisearch.api_key is not None
    assert config.geminisearch.api_key.reveal() == "K1"
    assert config.gemini.api_key is None
    assert read(root).geminisearch.api_key is None


def test_models_of_three_providers_come_from_both_spellings_and_the_specified_one_wins(root: Path) -> None:
    blocks = {
        "google": {"options": {"websearch_cited": {"model": "old"}, "websearch": {"model": "g"}}},
        "openai": {"options": {"websearch": {"model": "openai/gpt-5.1-codex"}}},
        "openrouter": {"options": {"websearch_cited": {"model": "x/y"}, "apiKey": "OR"}},
    }
    write(root / "p/opencode.json", json.dumps({"provider": blocks}))
    config = read(root)
    assert config.gemini.model == "g"
    assert config.openai_oauth.model == "gpt-5.1-codex"
    assert config.openrouter.model == "x/y"
    assert config.openrouter.api_key is not None


def test_the_specified_spelling_wins_even_from_a_lower_file(root: Path) -> None:
    write(root / "h/.config/opencode/opencode.json", google_model("low"))
    cited = {"provider": {"google": {"options": {"websearch_cited": {"model": "high"}}}}}
    write(root / "p/opencode.json", json.dumps(cited))
    assert read(root).gemini.model == "low"


def test_objects_are_merged_across_files(root: Path) -> None:
    user = {"provider": {"geminisearch": {"options": {"apiKey": "K", "model": "a"}}}}
    write(root / "h/.config/opencode/opencode.json", json.dumps(user))
    write(root / "p/opencode.json", '{"provider": {"geminisearch": {"options": {"model": "b"}}}}')
    config = read(root)
    assert config.geminisearch.api_key is not None
    assert config.geminisearch.model == "b"


def test_a_blank_model_means_the_default(root: Path) -> None:
    write(root / "p/opencode.json", google_model(""))
    assert read(root).gemini.model is None


def test_a_file_is_inserted_trimmed_and_escaped_relative_to_its_config(root: Path) -> None:
    write(root / "p/keys/model.txt", '  quo"ted\\name \n')
    write(root / "h/home-model", "from-home\n")
    write(root / "p/opencode.json", google_model("{file:keys/model.txt}"))
    assert read(root).gemini.model == 'quo"ted\\name'
    write(root / "p/opencode.json", google_model("{file:~/home-model}"))
    assert read(root).gemini.model == "from-home"
    write(root / "p/opencode.json", google_model(f"{{file:{root / 'h/home-model'}}}"))
    assert read(root).gemini.model == "from-home"


def test_a_missing_inserted_file_is_a_problem_and_the_rest_of_the_file_counts(root: Path) -> None:
    write(
        root / "p/opencode.jsonc",
        """{
  // "x": "{file:not-looked-at}"
  "provider": {
    "geminisearch": {"options": {"model": "m",
      "apiKey": "{file:gone}"}}
  }
}""",
    )
    config = read(root)
    assert config.geminisearch.model == "m"
    assert config.geminisearch.api_key is None
    assert [problem.line for problem in config.problems] == [5]
    assert "does not exist" in config.problems[0].reason


def test_an_environment_value_is_inserted_raw_so_a_quote_breaks_the_file(root: Path) -> None:
    write(root / "p/opencode.json", google_model("{env:M}"))
    assert read(root, {"M": "plain"}).gemini.model == "plain"
    broken = read(root, {"M": 'a"b'})
    assert broken.gemini.model is None
    assert [problem.line for problem in broken.problems] == [1]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"provider": []}', "provider must be an object"),
        ('{"provider": {"google": {"options": 5}}}', "provider.google.options must be an object"),
        (
            '{"provider": {"google": {"options": {"websearch": {"model": 5}}}}}',
            "provider.google.options.websearch.model must be a text",
        ),
        (
            '{"provider": {"geminisearch": {"options": {"apiKey": {}}}}}',
            "provider.geminisearch.options.apiKey must be a text",
        ),
        ("[1]", "expected an object {…} at the top"),
        ("", "the file is empty"),
        ('{"a": 1} more', "not valid JSON: more text follows after the end of the object"),
        ('{"a": [1', "not valid JSON: it ends before what starts on this line is closed"),
        ("[" * 5000, "nested deeper than 200 levels"),
    ],
)
def test_wrong_shapes_are_reported_once_each(root: Path, text: str, reason: str) -> None:
    write(root / "p/opencode.json", text)
    assert [problem.reason for problem in read(root).problems] == [reason]


def test_a_key_that_cannot_be_sent_is_reported_without_being_shown(root: Path) -> None:
    write(
        root / "p/opencode.json", '{"provider": {"geminisearch": {"options": {"apiKey": "se cret\\nkey"}}}}'
    )
    config = read(root)
    assert config.geminisearch.api_key is None
    assert len(config.problems) == 1
    assert "cret" not in str(config.problems)


plain_text = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters='"\\'), min_size=1, max_size=30
)


@settings(max_examples=60, deadline=None)
@given(value=plain_text, around=plain_text)
def test_substituting_gives_what_writing_the_value_there_gives(
    tmp_path_factory: pytest.TempPathFactory, value: str, around: str
) -> None:
    root = tmp_path_factory.mktemp("r")
    (root / "p/.git").mkdir(parents=True)
    (root / "p/value").write_text(value, encoding="utf-8")
    direct = f"{around}-{value.strip()}-x"
    if "{" in around + value:
        return
    for marker in ("{env:V}", "{file:value}"):
        write(root / "p/opencode.json", google_model("MARK").replace("MARK", f"{around}-{marker}-x"))
        config = read(root, {"V": value.strip()})
        expected = direct.strip() if direct.isprintable() else None
        assert config.gemini.model == expected_model(expected)


def expected_model(name: str | None) -> str | None:
    return None if name is None else name.removeprefix("google/").removeprefix("models/")


@settings(max_examples=100, deadline=None)
@given(junk=st.binary(max_size=200))
def test_no_content_of_a_config_file_makes_reading_fail(
    tmp_path_factory: pytest.TempPathFactory, junk: bytes
) -> None:
    root = tmp_path_factory.mktemp("r")
    (root / "p").mkdir()
    (root / "p/opencode.json").write_bytes(junk)
    (root / "p/groundwire.toml").write_bytes(junk)
    read(root)
