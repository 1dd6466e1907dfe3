"""The doctor: what is configured and where from, never a key, and the command that fixes what is missing."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.cli import main
from groundwire.cli.doctor import as_text
from groundwire.cli.examination import Report, examine
from groundwire.config import Config, load_config
from groundwire.credentials.resolve import resolve
from groundwire.testing import ScriptedTransport
from tests.unit.credentials.adc import authorized_user

NOW = 1_800_000_000.0


def write(path: Path, document: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")


def examined(home: Path, env: dict[str, str] | None = None) -> tuple[Report, str]:
    config = load_config(env=env or {}, cwd=home, home=home)
    report = examine(config, env or {}, lambda: NOW)
    return report, as_text(report, home=home, now=NOW)


def test_an_empty_machine_is_told_the_exact_command_for_each_provider(tmp_path: Path) -> None:
    report, text = examined(tmp_path)
    assert [(one.name, one.ready, one.fix) for one in report.providers] == [
        ("gemini", False, "groundwire login gemini"),
        ("openai_oauth", False, "groundwire login openai"),
        ("openrouter", False, "groundwire login openrouter"),
        ("local", False, "export GROUNDWIRE_CORPUS=DIR"),
    ]
    assert (report.default_provider, report.files, report.problems) == (None, [], [])
    assert "Asked when you name none: nothing (no provider is ready)" in text


def test_the_text_is_aligned_and_complete(tmp_path: Path) -> None:
    write(tmp_path / ".config/groundwire/groundwire.toml", '[gemini]\nmodel = "m"\n[search]\nraw = 5\n')
    write(
        tmp_path / ".local/share/opencode/auth.json",
        {"openai": {"type": "oauth", "access": "at", "refresh": "rt", "expires": (NOW + 3 * 86400) * 1000}},
    )
    write(tmp_path / ".local/share/groundwire/credentials.json", {"gemini": {"type": "api", "key": "x"}})
    write(tmp_path / ".codex/auth.json", '{\n  "tokens": \n')
    _, text = examined(tmp_path, {"GEMINI_API_KEY": "K", "OPENROUTER_API_KEY": "a\nb"})
    assert text.splitlines()[2:] == [
        "Providers",
        "  gemini        ready    API key from environment variable GEMINI_API_KEY",
        "                         also there, not used: API key from groundwire's own store "
        "(~/.local/share/groundwire/credentials.json)",
        "  openai_oauth  ready    sign-in from OpenCode's auth.json (~/.local/share/opencode/auth.json); "
        "its token lasts 3 days more",
        "  openrouter    missing  an OpenRouter API key is missing",
        "                         fix: groundwire login openrouter",
        "                              (get a key at https://openrouter.ai/keys; "
        "export OPENROUTER_API_KEY=... works too)",
        "                         not usable: environment variable OPENROUTER_API_KEY: it holds characters "
        "that no key has (line breaks, spaces or non-ASCII letters)",
        "  local         missing  a folder of documents is missing",
        "                         fix: export GROUNDWIRE_CORPUS=DIR",
        "                              (groundwire search QUERY --provider local --corpus DIR works too)",
        "",
        "Asked when you name none: gemini (the first that is ready)",
        "Way to Gemini: api-key (the first that is ready, of: api-key, vertex, code-assist)",
        "",
        "Settings that are not the default",
        "  gemini.model  m  from ~/.config/groundwire/groundwire.toml",
        "",
        "Files read",
        "  ~/.config/groundwire/groundwire.toml",
        "  ~/.local/share/opencode/auth.json",
        "  ~/.local/share/groundwire/credentials.json",
        "  ~/.codex/auth.json",
        "",
        "Problems",
        "  ~/.config/groundwire/groundwire.toml:4: search.raw must be true or false",
        "  ~/.codex/auth.json:2: not valid JSON: it ends too early",
    ]


def test_a_chosen_provider_that_is_not_ready_is_pointed_out(tmp_path: Path) -> None:
    report, _ = examined(tmp_path, {"GROUNDWIRE_PROVIDER": "openrouter", "GEMINI_API_KEY": "K"})
    assert report.default_provider == "openrouter"
    assert report.default_because == "set by GROUNDWIRE_PROVIDER, but it is not ready"


def test_a_token_that_ended_is_said_to_be_renewed(tmp_path: Path) -> None:
    record = {"type": "oauth", "access": "at", "refresh": "rt", "expires": 1}
    write(tmp_path / ".local/share/opencode/auth.json", {"openai": record})
    assert "its token has ended and is renewed at the next use" in examined(tmp_path)[1]


def test_a_corpus_counts_when_its_folder_is_there(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    report, text = examined(tmp_path, {"GROUNDWIRE_CORPUS": "docs"})
    assert report.default_provider == "local"
    assert "documents in ~/docs" in text
    report, text = examined(tmp_path, {"GROUNDWIRE_CORPUS": "gone"})
    assert report.default_provider is None
    assert "~/gone is not a folder" in text


def test_the_tool_geminisearch_with_a_key_of_its_own_is_shown(tmp_path: Path) -> None:
    write(tmp_path / "opencode.json", {"provider": {"geminisearch": {"options": {"apiKey": "own"}}}})
    report, text = examined(tmp_path, {"GEMINI_API_KEY": "K"})
    gemini = report.providers[0]
    assert gemini.credential is not None
    assert gemini.credential.where == "environment variable GEMINI_API_KEY"
    assert (
        "the tool geminisearch uses: API key from provider.geminisearch.options.apiKey in ~/opencode" in text
    )
    assert "not used" not in text
    assert examined(tmp_path)[0].providers[0].geminisearch is None


def test_codex_in_the_keyring_is_explained(tmp_path: Path) -> None:
    write(tmp_path / ".codex/config.toml", 'cli_auth_credentials_store = "keyring"\n')
    assert 'set cli_auth_credentials_store = "file"' in examined(tmp_path)[1]


def test_names_of_files_cannot_steer_the_terminal(tmp_path: Path) -> None:
    home = tmp_path / "red\x1b[31m"
    write(home / ".codex/auth.json", "{")
    _, text = examined(home, {"CODEX_HOME": str(home / ".codex")})
    assert "\x1b" not in text


def test_the_command_exits_by_whether_anything_can_be_asked(
    scrubbed_environment: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(scrubbed_environment)
    assert main(["doctor"]) == 3
    monkeypatch.setenv("GEMINI_API_KEY", "K-secret")
    assert main(["doctor", "--json"]) == 0
    text = capsys.readouterr().out
    report = msgspec.json.decode(text[text.index("{") :])
    assert report["default_provider"] == "gemini"
    assert report["providers"][0]["credential"] == {
        "where": "environment variable GEMINI_API_KEY",
        "kind": "api_key",
    }
    assert "K-secret" not in text


secrets = st.text("ABCDEFGHJKLMNPQRSTUVWXYZ23456789", min_size=8, max_size=30).map("sEcReT-{}".format)


@settings(max_examples=60, deadline=None)
@given(keys=st.lists(secrets, min_size=12, max_size=12, unique=True), broken=st.booleans())
def test_no_secret_is_ever_shown(
    tmp_path_factory: pytest.TempPathFactory, keys: list[str], broken: bool
) -> None:
    home = tmp_path_factory.mktemp("home")
    tail = "\n" if broken else ""
    signed_in = {"type": "oauth", "access": keys[0] + tail, "refresh": keys[1], "expires": NOW * 2000}
    write(
        home / ".local/share/opencode/auth.json",
        {"google": {"type": "api", "key": keys[2]}, "openai": signed_in, keys[3]: {}},
    )
    write(
        home / ".local/share/groundwire/credentials.json",
        {"gemini": {"type": "api", "key": keys[4]}, "openrouter": {"type": keys[5]}},
    )
    codex = json.dumps({"tokens": {"access_token": keys[6], "refresh_token": keys[7]}})
    write(home / ".codex/auth.json", codex[:-2] if broken else codex)
    options = {"apiKey": keys[8] + tail, "model": "{env:UNSET}"}
    opencode = json.dumps({"provider": {"geminisearch": {"options": options}, "google": keys[9]}})
    write(home / "opencode.json", opencode[:-1] if broken else opencode)
    env = {"GEMINI_API_KEY": keys[10] + (" x" if broken else ""), "OPENROUTER_API_KEY": keys[11]}
    config: Config = load_config(env=env, cwd=home, home=home)
    report, text = examined(home, env)
    transport = ScriptedTransport([])
    credential = resolve("openrouter", config, env, transport, lambda: NOW)
    shown = "".join(map(repr, (config, report, credential, credential.authorizer))) + text
    assert "sEcReT" not in shown + msgspec.json.encode(report).decode()


def test_vertex_ai_is_shown_with_its_project_when_no_key_is_there(tmp_path: Path) -> None:
    path = authorized_user(tmp_path)
    report, text = examined(tmp_path, {"GOOGLE_CLOUD_PROJECT": "mine", "GOOGLE_CLOUD_LOCATION": "eu"})
    assert report.gemini_upstream == "vertex"
    shown = str(path).replace(str(tmp_path), "~")
    assert f"gemini        ready    Vertex AI, project mine in eu: credentials from {shown}" in text
    assert "Way to Gemini: vertex (the first that is ready, of: api-key, vertex, code-assist)" in text


def test_a_key_of_express_mode_is_shown_as_the_way_it_is(tmp_path: Path) -> None:
    report, text = examined(tmp_path, {"GOOGLE_API_KEY": "k", "GOOGLE_GENAI_USE_VERTEXAI": "true"})
    assert report.gemini_upstream == "vertex"
    assert (
        "gemini        ready    Vertex AI, express mode: API key from environment variable GOOGLE_API_KEY"
        in text
    )
    assert "Way to Gemini: vertex (vertex is set by GOOGLE_GENAI_USE_VERTEXAI)" in text


def test_a_choice_is_shown_and_what_it_lacks(tmp_path: Path) -> None:
    env = {"GEMINI_API_KEY": "k", "GOOGLE_GENAI_USE_VERTEXAI": "true"}
    report, text = examined(tmp_path, env)
    assert (report.gemini_upstream, report.providers[0].fix) == (
        None,
        "gcloud auth application-default login",
    )
    assert "Way to Gemini: none (vertex is set by GOOGLE_GENAI_USE_VERTEXAI, but it is not ready)" in text
    assert "Vertex AI needs to know the project: export GOOGLE_CLOUD_PROJECT=..." in text


def test_a_sign_in_for_code_assist_is_shown_as_that(tmp_path: Path) -> None:
    write(
        tmp_path / ".local/share/opencode/auth.json",
        {
            "gemini-cli": {
                "type": "oauth",
                "access": "ya29.x",
                "refresh": "1//r|p|",
                "expires": NOW * 1000 + 9e6,
            }
        },
    )
    report, text = examined(tmp_path, {"GROUNDWIRE_GOOGLE_CLIENT_SECRET": "s"})
    assert report.gemini_upstream == "code-assist"
    assert "Code Assist: Google sign-in from OpenCode's auth.json" in text
