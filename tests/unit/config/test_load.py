"""The layers of a Config, in their order, and what happens to values that cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.config import Config, load_config
from groundwire.errors import InsecureUrl, InvalidConfig, UnknownProvider


class Place:
    """A home and a project in a temporary folder, and a Config read from them."""

    def __init__(self, root: Path) -> None:
        self.home, self.project = root / "home", root / "project"
        self.user_file = self.home / ".config/groundwire/groundwire.toml"
        self.project_file = self.project / "groundwire.toml"
        (self.project / ".git").mkdir(parents=True)
        self.user_file.parent.mkdir(parents=True)

    def load(self, env: dict[str, str] | None = None, **arguments: object) -> Config:
        dotted = {name.replace("__", "."): value for name, value in arguments.items()}
        return load_config(env=env or {}, cwd=self.project, home=self.home, arguments=dotted)

    def opencode(self, text: str) -> Path:
        file = self.project / "opencode.jsonc"
        file.write_text(text, encoding="utf-8")
        return file


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_without_any_file_the_defaults_hold(place: Place) -> None:
    config = place.load()
    assert config.gemini.model is None
    assert config.gemini.base_url == "https://generativelanguage.googleapis.com"
    assert config.openai_oauth.base_url == "https://chatgpt.com/backend-api/codex"
    assert config.openrouter.base_url == "https://openrouter.ai/api/v1"
    assert (config.openrouter.web_tool, config.openrouter.max_results) == ("plugin", 3)
    assert config.search.provider is None
    assert config.problems == ()
    assert config.files == ()
    assert dict(config.origins) == {}


def test_each_layer_wins_over_the_one_below(place: Place) -> None:
    place.user_file.write_text('[gemini]\nmodel = "user"\n', encoding="utf-8")
    assert place.load().gemini.model == "user"
    place.project_file.write_text('[gemini]\nmodel = "project"\n', encoding="utf-8")
    assert place.load().gemini.model == "project"
    place.opencode('{"provider": {"google": {"options": {"websearch": {"model": "opencode"}}}}}')
    assert place.load().gemini.model == "opencode"
    assert place.load({"GROUNDWIRE_GEMINI_MODEL": "env"}).gemini.model == "env"
    config = place.load({"GROUNDWIRE_GEMINI_MODEL": "env"}, gemini__model="argument")
    assert config.gemini.model == "argument"
    assert config.origins["gemini.model"] == "argument"


def test_layers_are_merged_setting_by_setting(place: Place) -> None:
    place.user_file.write_text("[search]\nmax_sources = 3\nlanguage = 'de'\n", encoding="utf-8")
    place.project_file.write_text("[search]\nmax_sources = 7\n", encoding="utf-8")
    search = place.load().search
    assert (search.max_sources, search.language) == (7, "de")


def test_the_nearest_project_file_counts_and_the_worktree_root_is_the_limit(place: Place) -> None:
    inner = place.project / "a/b"
    inner.mkdir(parents=True)
    (place.project.parent / "groundwire.toml").write_text("[search]\nregion = 'outside'\n", encoding="utf-8")
    assert load_config(env={}, cwd=inner, home=place.home).search.region is None
    place.project_file.write_text("[search]\nregion = 'root'\n", encoding="utf-8")
    (place.project / "a/groundwire.toml").write_text("[search]\nlanguage = 'fr'\n", encoding="utf-8")
    search = load_config(env={}, cwd=inner, home=place.home).search
    assert (search.language, search.region) == ("fr", None)


def test_outside_a_worktree_only_the_working_directorys_own_file_counts(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "groundwire.toml").write_text("[search]\nregion = 'PL'\n", encoding="utf-8")
    assert load_config(env={}, cwd=tmp_path / "a", home=tmp_path / "h").search.region is None
    assert load_config(env={}, cwd=tmp_path, home=tmp_path / "h").search.region == "PL"


def test_a_broken_file_is_reported_with_its_line_and_the_rest_still_works(place: Place) -> None:
    place.user_file.write_text("[search]\nlanguage = 'de'\nregion = \n", encoding="utf-8")
    place.project_file.write_text("[search]\nmax_sources = 7\n", encoding="utf-8")
    file = place.opencode('{\n  "provider": {\n    "google" {}\n  }\n}')
    config = place.load()
    assert config.search.max_sources == 7
    assert config.search.language is None
    assert [(problem.file, problem.line) for problem in config.problems] == [
        (str(place.user_file), 3),
        (str(file), 3),
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("timeout = 'soon'", "search.timeout must be a number of seconds above 0"),
        ("timeout = -1", "search.timeout must be a number of seconds above 0"),
        ("timeout = nan", "search.timeout must be a number of seconds above 0"),
        ("timeout = true", "search.timeout must be a number of seconds above 0"),
        ("max_sources = 0", "search.max_sources must be a whole number from 1 to 1000"),
        ("max_sources = 1.5", "search.max_sources must be a whole number from 1 to 1000"),
        ("raw = 'yes'", "search.raw must be true or false"),
        ("provider = 'bing'", "search.provider must be one of: gemini, openai_oauth, openrouter, local"),
        ("provider = ['gemini']", "search.provider must be one of: gemini, openai_oauth, openrouter, local"),
        ("language = 5", "search.language must be a text"),
        ('language = "a\\u0007"', "search.language must not contain control characters"),
        ("colour = 'red'", "search.colour is not a setting"),
    ],
)
def test_a_wrong_value_is_reported_and_the_default_stays(place: Place, line: str, reason: str) -> None:
    place.user_file.write_text(f"[search]\nregion = 'PL'\n{line}\n", encoding="utf-8")
    config = place.load()
    assert [(problem.line, problem.reason) for problem in config.problems] == [(3, reason)]
    assert config.search.region == "PL"
    assert (config.search.timeout, config.search.max_sources, config.search.raw) == (120.0, None, False)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('a = 1\nb = "open\n', "2: not valid TOML: illegal character"),
        ("a = 1\nb 2\n", "2: not valid TOML: expected '=' after a key in a key/value pair"),
        ("[s3cret]\n[s3cret]\n", "2: not valid TOML: cannot declare … twice"),
        ("a = {s3cret = 1, s3cret = 2}\n", "1: not valid TOML: duplicate inline table key"),
        ("a = 1\na = 2\n", "2: not valid TOML: cannot overwrite a value"),
        ("max_sources = 3\n", "1: max_sources is not a setting; search.max_sources is"),
        ("[agent]\nprovider = 'local'\n", "2: agent.provider is not a setting; search.provider is"),
        ("model = 'x'\n", "1: model is not a setting"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line_and_reason(place: Place, text: str, problem: str) -> None:
    place.user_file.write_text(text, encoding="utf-8")
    assert [str(one) for one in place.load().problems] == [f"{place.user_file}:{problem}"]


def test_a_wrong_variable_is_reported_by_its_name(place: Place) -> None:
    config = place.load({"GROUNDWIRE_TIMEOUT": "soon", "GROUNDWIRE_RAW": "1", "GROUNDWIRE_MAX_SOURCES": "4"})
    assert [str(problem) for problem in config.problems] == [
        "GROUNDWIRE_TIMEOUT: GROUNDWIRE_TIMEOUT must be a number of seconds above 0"
    ]
    assert (config.search.raw, config.search.max_sources) == (True, 4)


def test_a_wrong_argument_fails_at_once(place: Place) -> None:
    with pytest.raises(InvalidConfig, match="timeout must be a number"):
        place.load(timeout="soon")
    with pytest.raises(InvalidConfig, match="no setting 'tiemout'"):
        place.load(tiemout=3)
    with pytest.raises(UnknownProvider, match="must be one of: gemini"):
        place.load(provider="bing")
    with pytest.raises(InvalidConfig, match="api_key is empty"):
        place.load(provider="gemini", api_key=" ")


def test_model_and_key_alone_belong_to_the_chosen_provider(place: Place) -> None:
    config = place.load(provider="openrouter", model="openai/o4-mini", api_key="sk-or-x")
    assert config.openrouter.model == "openai/o4-mini"
    assert config.openrouter.api_key is not None
    assert config.openrouter.api_key.reveal() == "sk-or-x"
    assert place.load({"GROUNDWIRE_PROVIDER": "gemini"}, model="m").gemini.model == "m"
    with pytest.raises(InvalidConfig, match="without a provider"):
        place.load(model="m")


def test_arguments_of_none_are_not_given(place: Place) -> None:
    assert place.load(provider=None, model=None).search.provider is None


@pytest.mark.parametrize(
    ("setting", "given", "kept"),
    [
        ("openai_oauth.model", "openai/gpt-5.1-codex", "gpt-5.1-codex"),
        ("gemini.model", "google/gemini-2.5-flash", "gemini-2.5-flash"),
        ("gemini.model", "models/gemini-2.5-flash", "gemini-2.5-flash"),
        ("geminisearch.model", "google/gemini-2.5-pro", "gemini-2.5-pro"),
        ("openrouter.model", "openai/o4-mini", "openai/o4-mini"),
    ],
)
def test_a_model_loses_the_name_of_its_provider_except_on_openrouter(
    place: Place, setting: str, given: str, kept: str
) -> None:
    config = load_config(env={}, cwd=place.project, home=place.home, arguments={setting: given})
    assert getattr(config, setting.partition(".")[0]).model == kept


def test_keys_do_not_belong_into_groundwire_toml(place: Place) -> None:
    place.user_file.write_text("[gemini]\napi_key = 'AIza-secret'\n", encoding="utf-8")
    config = place.load()
    assert config.gemini.api_key is None
    assert [problem.line for problem in config.problems] == [2]
    assert "AIza-secret" not in repr(config)


def test_a_corpus_is_relative_to_the_file_that_names_it(place: Place) -> None:
    place.user_file.write_text("[local]\ncorpus = 'docs'\n", encoding="utf-8")
    assert place.load().local.corpus == place.user_file.parent / "docs"
    assert place.load({"GROUNDWIRE_CORPUS": "notes"}).local.corpus == place.project / "notes"
    assert place.load({"GROUNDWIRE_CORPUS": "~/notes"}).local.corpus == place.home / "notes"
    assert place.load(local__corpus=Path("/x")).local.corpus == Path("/x")


def test_xdg_folders_are_followed_and_relative_ones_ignored(place: Place, tmp_path: Path) -> None:
    paths = place.load({"XDG_DATA_HOME": str(tmp_path / "d"), "XDG_CONFIG_HOME": "relative"}).paths
    assert paths.own_store == tmp_path / "d/groundwire/credentials.json"
    assert paths.opencode_auth == tmp_path / "d/opencode/auth.json"
    assert paths.config_dir == place.home / ".config/groundwire"
    assert place.load({"CODEX_HOME": str(tmp_path / "c")}).paths.codex_auth == tmp_path / "c/auth.json"


def test_files_that_cannot_be_read_are_problems(place: Place) -> None:
    place.user_file.mkdir()
    place.project_file.write_bytes(b"[search]\nlanguage = '\xff'\n")
    place.opencode('{"a": "' + "x" * 1024 * 1024 + '"}')
    assert [problem.reason for problem in place.load().problems] == [
        "this is a folder, not a file",
        "not valid UTF-8 text",
        "larger than 1024 KB, so it was not read",
    ]


BASE_URLS = {
    "GOOGLE_GEMINI_BASE_URL": "gemini",
    "CODE_ASSIST_ENDPOINT": "code_assist",
    "GROUNDWIRE_CODEX_BASE_URL": "codex",
    "OPENROUTER_BASE_URL": "openrouter",
    "GROUNDWIRE_GOOGLE_OAUTH_URL": "google_oauth",
    "GROUNDWIRE_OPENAI_OAUTH_URL": "openai_oauth",
}


@pytest.mark.parametrize(("variable", "name"), BASE_URLS.items())
@pytest.mark.parametrize(
    "url",
    [
        "https://proxy.example/x",
        "http://127.0.0.1:8080",
        "http://127.8.9.1",
        "http://[::1]:9",
        "http://localhost:1",
    ],
)
def test_every_base_url_can_be_changed(place: Place, variable: str, name: str, url: str) -> None:
    assert getattr(place.load({variable: url + "/"}).urls, name) == url


@pytest.mark.parametrize("variable", BASE_URLS)
@pytest.mark.parametrize(
    "url",
    ["http://example.com", "http://10.0.0.1", "http://127.0.0.1.example.com", "http://localhost.example"],
)
def test_plain_http_to_another_machine_is_refused_unless_allowed(
    place: Place, variable: str, url: str
) -> None:
    with pytest.raises(InsecureUrl, match="GROUNDWIRE_ALLOW_INSECURE_HTTP=1") as caught:
        place.load({variable: url})
    assert variable in caught.value.message
    config = place.load({variable: url, "GROUNDWIRE_ALLOW_INSECURE_HTTP": "1"})
    assert getattr(config.urls, BASE_URLS[variable]) == url


@pytest.mark.parametrize(
    "url",
    [
        "ftp://x",
        "example.com",
        "https://",
        "https://user:pw@x",
        "https://x/?k=v",
        "https://x:99999",
        "https://a b",
    ],
)
def test_a_base_url_that_is_no_address_is_refused(place: Place, url: str) -> None:
    with pytest.raises(InvalidConfig, match="GOOGLE_GEMINI_BASE_URL"):
        place.load({"GOOGLE_GEMINI_BASE_URL": url})


def test_the_users_file_may_say_where_keys_are_sent_and_a_projects_may_not(place: Place) -> None:
    text = "allow_insecure_http = true\n[urls]\ngemini = 'http://proxy.example'\n"
    place.project_file.write_text(text, encoding="utf-8")
    config = place.load()
    assert config.urls.gemini == "https://generativelanguage.googleapis.com"
    assert [problem.line for problem in config.problems] == [1, 3]
    place.user_file.write_text(text, encoding="utf-8")
    assert place.load().gemini.base_url == "http://proxy.example"


def test_one_google_address_replaces_the_token_endpoint_and_the_sign_in_page(place: Place) -> None:
    urls = place.load({"GROUNDWIRE_GOOGLE_OAUTH_URL": "http://127.0.0.1:9"}).urls
    assert urls.google_oauth == urls.google_accounts == "http://127.0.0.1:9"
