"""Which credential is used: the numbered steps, one after another, and what is said when there is none."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from groundwire.config import Config, load_config
from groundwire.credentials.base import Credential
from groundwire.credentials.resolve import resolve, store_problems, survey, usable_providers
from groundwire.errors import (
    CredentialError,
    InvalidConfig,
    MissingGeminiKey,
    MissingGoogleSignIn,
    MissingOpenAISession,
    MissingOpenRouterKey,
    MissingVertexCredentials,
    UnknownProvider,
)
from groundwire.secret import Secret
from groundwire.transport.base import Request, Response
from groundwire.transport.vertex import VertexProject
from tests.unit.credentials.adc import authorized_user, service_account

NOW = 1_800_000_000.0


class NoNetwork:
    """Resolving never sends anything."""

    async def send(self, request: Request) -> Response:
        raise AssertionError(f"sent {request.url}")


class Machine:
    """A home with stores, an environment, and the credential they lead to."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.env: dict[str, str] = {}
        self.arguments: dict[str, object] = {}

    @property
    def config(self) -> Config:
        return load_config(env=self.env, cwd=self.home, home=self.home, arguments=self.arguments)

    def write(self, name: str, document: object) -> Path:
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
        return path

    def opencode(self, document: object) -> Path:
        return self.write(".local/share/opencode/auth.json", document)

    def own(self, document: object) -> Path:
        return self.write(".local/share/groundwire/credentials.json", document)

    def codex(self, document: object) -> Path:
        return self.write(".codex/auth.json", document)

    def options(self, provider: str, **options: object) -> None:
        self.write(".config/opencode/opencode.json", {"provider": {provider: {"options": options}}})

    def resolve(self, name: str) -> Credential:
        return resolve(name, self.config, self.env, NoNetwork(), lambda: NOW)

    def header(self, name: str) -> str:
        headers: Mapping[str, str | Secret] = asyncio.run(self.resolve(name).authorizer.headers())
        value = headers.get("x-goog-api-key") or headers["Authorization"]
        assert isinstance(value, Secret)
        return value.reveal()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def api(key: str) -> dict[str, str]:
    return {"type": "api", "key": key}


def signed_in(access: str, expires: float = NOW + 3600) -> dict[str, object]:
    return {
        "type": "oauth",
        "access": access,
        "refresh": "rt",
        "expires": int(expires * 1000),
        "accountId": "acc",
    }


def test_gemini_follows_its_six_steps(machine: Machine) -> None:
    machine.options("geminisearch", apiKey="step6")
    assert machine.header("gemini") == "step6"
    machine.own({"gemini": api("step5")})
    assert machine.header("gemini") == "step5"
    machine.env["GOOGLE_GENERATIVE_AI_API_KEY"] = "step4b"
    assert machine.header("gemini") == "step4b"
    machine.env["GOOGLE_API_KEY"] = "step4a"
    assert machine.header("gemini") == "step4a"
    machine.env["GEMINI_API_KEY"] = "step3"
    assert machine.header("websearch_gemini") == "step3"
    machine.opencode({"google": api("step2b")})
    assert machine.header("gemini") == "step2b"
    machine.options("google", apiKey="step2a")
    assert machine.header("gemini") == "step2a"
    machine.arguments["gemini.api_key"] = "step1"
    assert machine.header("gemini") == "step1"
    assert machine.resolve("gemini").where == "argument"


def test_geminisearch_asks_its_own_block_first(machine: Machine) -> None:
    machine.own({"gemini": api("later")})
    assert machine.header("geminisearch") == "later"
    machine.opencode({"google": api("store")})
    assert machine.header("geminisearch") == "store"
    machine.env["GEMINI_API_KEY"] = "variable"
    assert machine.header("geminisearch") == "variable"
    machine.options("geminisearch", apiKey="block")
    assert machine.header("geminisearch") == "block"
    assert machine.resolve("geminisearch").provider == "gemini"
    machine.arguments["geminisearch.api_key"] = "argument"
    assert machine.header("geminisearch") == "argument"


def test_openrouter_follows_its_steps(machine: Machine) -> None:
    machine.own({"openrouter": api("own")})
    assert machine.header("openrouter") == "Bearer own"
    machine.opencode({"openrouter": api("store")})
    assert machine.header("openrouter") == "Bearer store"
    machine.options("openrouter", apiKey="config")
    assert machine.header("openrouter") == "Bearer config"
    machine.env["OPENROUTER_API_KEY"] = "variable"
    assert machine.header("websearch_openrouter") == "Bearer variable"
    machine.arguments.update(provider="openrouter", api_key="argument")
    assert machine.header("openrouter") == "Bearer argument"


def test_openai_follows_its_steps(machine: Machine) -> None:
    machine.codex({"OPENAI_API_KEY": None, "tokens": {"access_token": "codex", "refresh_token": "r"}})
    assert machine.header("openai_oauth") == "Bearer codex"
    machine.env["CODEX_ACCESS_TOKEN"] = "variable"
    assert machine.header("openai_oauth") == "Bearer variable"
    machine.own({"openai_oauth": signed_in("own")})
    assert machine.header("openai_oauth") == "Bearer own"
    machine.opencode({"openai": signed_in("opencode")})
    assert machine.header("websearch_openai_oauth") == "Bearer opencode"
    machine.env["OPENCODE_AUTH_CONTENT"] = json.dumps({"openai": signed_in("content")})
    assert machine.header("openai_oauth") == "Bearer content"
    machine.arguments["openai_oauth.api_key"] = "argument"
    assert machine.header("openai_oauth") == "Bearer argument"


@pytest.mark.parametrize(
    ("name", "error", "command"),
    [
        ("gemini", MissingGeminiKey, "groundwire login gemini"),
        ("geminisearch", MissingGeminiKey, "GEMINI_API_KEY"),
        ("openai_oauth", MissingOpenAISession, "codex login"),
        ("openrouter", MissingOpenRouterKey, "groundwire login openrouter"),
    ],
)
def test_a_missing_credential_says_how_to_get_one(
    machine: Machine, name: str, error: type[CredentialError], command: str
) -> None:
    with pytest.raises(error) as caught:
        machine.resolve(name)
    assert command in str(caught.value)


PROJECT = {"GOOGLE_CLOUD_PROJECT": "mine"}


def test_without_a_key_gemini_is_vertex_ai_when_a_project_is_named(machine: Machine) -> None:
    authorized_user(machine.home)
    with pytest.raises(MissingGeminiKey, match=r"Vertex AI needs to know the project"):
        machine.resolve("gemini")
    machine.env |= PROJECT
    found = machine.resolve("gemini")
    assert (found.kind, found.vertex) == ("adc", VertexProject("mine"))
    machine.env["GEMINI_API_KEY"] = "k"
    assert machine.resolve("gemini").kind == "api_key"


def test_after_vertex_ai_comes_a_google_sign_in(machine: Machine) -> None:
    machine.opencode({"gemini-cli": signed_in("ya29.x")})
    found = machine.resolve("gemini")
    assert (found.kind, found.project is not None) == ("oauth", True)
    authorized_user(machine.home)
    machine.env |= PROJECT
    assert machine.resolve("gemini").kind == "adc"


def test_gemini_clis_own_sign_in_is_used_only_by_choice(machine: Machine) -> None:
    creds = {"access_token": "ya29.x", "refresh_token": "1//r", "expiry_date": (NOW + 3600) * 1000}
    machine.write(".gemini/oauth_creds.json", creds)
    with pytest.raises(MissingGeminiKey, match=r"terms.*GROUNDWIRE_GEMINI_UPSTREAM=code-assist"):
        machine.resolve("gemini")
    machine.env["GROUNDWIRE_GEMINI_UPSTREAM"] = "code-assist"
    assert "Gemini CLI" in machine.resolve("gemini").where


@pytest.mark.parametrize("name", ["gemini", "geminisearch"])
@pytest.mark.parametrize("variable", ["GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_ENTERPRISE"])
def test_googles_switch_chooses_vertex_ai_over_a_key(machine: Machine, name: str, variable: str) -> None:
    machine.env |= {"GEMINI_API_KEY": "k", variable: "True"}
    with pytest.raises(MissingVertexCredentials, match="GOOGLE_CLOUD_PROJECT"):
        machine.resolve(name)
    service = service_account(machine.home)
    machine.env["GOOGLE_APPLICATION_CREDENTIALS"] = str(service)
    assert machine.resolve(name).vertex == VertexProject("robots-project")
    machine.env |= PROJECT | {"GOOGLE_CLOUD_LOCATION": "eu", "GOOGLE_VERTEX_BASE_URL": "https://v.example"}
    assert machine.resolve(name).vertex == VertexProject("mine", "eu", "https://v.example")
    machine.env["GROUNDWIRE_GEMINI_UPSTREAM"] = "api-key"
    assert machine.header(name) == "k"


@pytest.mark.parametrize("name", ["gemini", "geminisearch"])
def test_a_key_of_express_mode_counts_where_vertex_ai_is_chosen_and_no_project_named(
    machine: Machine, name: str
) -> None:
    machine.env |= {"GOOGLE_API_KEY": "express"}
    assert machine.resolve(name).vertex is None
    machine.env |= {"GOOGLE_GENAI_USE_VERTEXAI": "true", "GOOGLE_VERTEX_BASE_URL": "https://v.example"}
    found = machine.resolve(name)
    assert (found.kind, found.where) == ("vertex_key", "environment variable GOOGLE_API_KEY")
    assert found.vertex == VertexProject(None, base_url="https://v.example")
    assert machine.header(name) == "express"
    machine.env |= PROJECT | {"GOOGLE_APPLICATION_CREDENTIALS": str(service_account(machine.home))}
    assert machine.resolve(name).vertex == VertexProject("mine", base_url="https://v.example")


def test_a_key_that_was_given_as_an_argument_wins_over_every_choice(machine: Machine) -> None:
    machine.env["GOOGLE_GENAI_USE_VERTEXAI"] = "1"
    machine.arguments["gemini.api_key"] = "given"
    assert machine.header("gemini") == "given"


def test_a_chosen_way_that_is_not_ready_says_what_it_lacks(machine: Machine) -> None:
    machine.env |= {"GEMINI_API_KEY": "k", "GROUNDWIRE_GEMINI_UPSTREAM": "code-assist"}
    with pytest.raises(MissingGoogleSignIn):
        machine.resolve("gemini")
    machine.env |= {"GROUNDWIRE_GEMINI_UPSTREAM": "vertex", "GOOGLE_APPLICATION_CREDENTIALS": "/no/file"}
    with pytest.raises(MissingVertexCredentials, match="cannot be read"):
        machine.resolve("gemini")


def test_google_auth_that_is_not_installed_is_told(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    authorized_user(machine.home)
    machine.env |= PROJECT
    monkeypatch.setattr("groundwire.credentials.candidates.is_installed", lambda: False)
    with pytest.raises(MissingGeminiKey, match=r"pip install 'groundwire\[vertex\]'"):
        machine.resolve("gemini")


def test_a_machine_of_google_cloud_is_asked_only_by_choice(machine: Machine) -> None:
    machine.env |= PROJECT
    with pytest.raises(MissingGeminiKey):
        machine.resolve("gemini")
    machine.env["GOOGLE_GENAI_USE_VERTEXAI"] = "true"
    assert "metadata server" in machine.resolve("gemini").where


def test_a_projects_file_cannot_choose_who_pays(machine: Machine) -> None:
    machine.write("work/groundwire.toml", '[gemini]\nupstream = "vertex"\n[vertex]\nproject = "theirs"\n')
    (machine.home / "work/.git").mkdir()
    config = load_config(env={}, cwd=machine.home / "work", home=machine.home)
    assert (config.gemini.upstream, config.vertex.project) == ("auto", None)
    assert [problem.reason.partition(" ")[0] for problem in config.problems] == [
        "gemini.upstream",
        "vertex.project",
    ]


@pytest.mark.parametrize("location", ["evil.example", "x:1", "x/y", "US", "a b", "../x", "-x"])
def test_a_location_that_is_none_is_not_used(machine: Machine, location: str) -> None:
    machine.env["GOOGLE_CLOUD_LOCATION"] = location
    assert machine.config.vertex.location == "global"
    assert machine.config.problems


def test_an_unknown_name_is_refused(machine: Machine) -> None:
    with pytest.raises(UnknownProvider):
        machine.resolve("bing")


def test_an_api_key_record_is_no_chatgpt_sign_in_and_a_sign_in_is_no_key(machine: Machine) -> None:
    machine.opencode({"openai": api("sk-1"), "google": signed_in("x")})
    machine.codex({"auth_mode": "apikey", "OPENAI_API_KEY": "sk-2", "tokens": None})
    with pytest.raises(MissingOpenAISession):
        machine.resolve("openai_oauth")
    assert machine.resolve("gemini").kind == "oauth"  # that leads to Code Assist
    with pytest.raises(MissingGeminiKey):
        machine.resolve("gemini_key")


def test_an_explicit_key_that_cannot_be_sent_fails_loudly(machine: Machine) -> None:
    machine.env["GEMINI_API_KEY"] = "good"
    machine.arguments["gemini.api_key"] = "two\nlines"
    with pytest.raises(InvalidConfig, match="no key has"):
        machine.resolve("gemini")


def test_a_discovered_key_that_cannot_be_sent_is_skipped(machine: Machine) -> None:
    machine.env.update(GEMINI_API_KEY="two\nlines", GOOGLE_API_KEY=" good \n")
    assert machine.header("gemini") == "good"
    assert [
        (finding.where, finding.state) for finding in survey(machine.config, machine.env, lambda: NOW)
    ] == [
        ("environment variable GEMINI_API_KEY", "unusable"),
        ("environment variable GOOGLE_API_KEY", "used"),
    ]


def test_the_reason_why_a_found_credential_was_skipped_is_in_the_error(machine: Machine) -> None:
    machine.env["OPENROUTER_API_KEY"] = "ключ"
    with pytest.raises(MissingOpenRouterKey, match="environment variable OPENROUTER_API_KEY: it holds"):
        machine.resolve("openrouter")


def test_an_ended_sign_in_counts_only_where_it_can_be_renewed(machine: Machine) -> None:
    machine.env["OPENCODE_AUTH_CONTENT"] = json.dumps({"openai": signed_in("old", NOW - 1)})
    machine.own({"openai_oauth": {"type": "oauth", "access": "old", "expires": 1}})
    machine.codex({"tokens": {"access_token": "good"}})
    assert machine.resolve("openai_oauth").where.startswith("Codex's auth.json")
    reasons = [finding.reason for finding in survey(machine.config, machine.env, lambda: NOW)]
    assert reasons == [
        "the access token has ended, and it cannot be renewed here",
        "the access token has ended and there is no refresh token",
        None,
    ]


def test_a_credential_in_the_shadow_of_another_is_visible(machine: Machine) -> None:
    machine.env["GEMINI_API_KEY"] = "a"
    machine.own({"gemini": api("b"), "openrouter": api("c")})
    states = [(found.provider, found.state) for found in survey(machine.config, machine.env, lambda: NOW)]
    assert states == [("gemini", "used"), ("gemini", "shadowed"), ("openrouter", "used")]


def test_the_first_provider_with_a_credential_is_chosen_in_the_documented_order(machine: Machine) -> None:
    def usable() -> list[str]:
        return usable_providers(machine.config, machine.env, lambda: NOW)

    assert usable() == []
    machine.arguments["local.corpus"] = "docs"
    assert usable() == ["local"]
    machine.env["OPENROUTER_API_KEY"] = "a"
    machine.codex({"tokens": {"access_token": "b"}})
    assert usable() == ["openai_oauth", "openrouter", "local"]
    machine.env["GEMINI_API_KEY"] = "c"
    assert usable() == ["gemini", "openai_oauth", "openrouter", "local"]


def test_content_in_the_variable_replaces_the_file_unless_it_is_not_json(machine: Machine) -> None:
    machine.opencode({"google": api("file")})
    machine.env["OPENCODE_AUTH_CONTENT"] = "{}"
    with pytest.raises(MissingGeminiKey):
        machine.resolve("gemini")
    machine.env["OPENCODE_AUTH_CONTENT"] = "{broken"
    assert machine.header("gemini") == "file"
    problems = store_problems(machine.config, machine.env, lambda: NOW)
    assert [problem.file for problem in problems] == ["environment variable OPENCODE_AUTH_CONTENT"]


MALFORMED: list[object] = [
    "",
    "   ",
    "{",
    '{"google": {"type": "api", "key": "K"',
    "[]",
    "null",
    '"text"',
    "\x00\x01",
    "[" * 100_000,
    '{"a": ' * 5000,
    '{"google": "\\ud800"}',
]
WRONG_RECORDS: list[object] = [
    None,
    5,
    "K",
    [],
    {},
    {"type": "api"},
    {"type": "api", "key": None},
    {"type": "api", "key": 5},
    {"type": "api", "key": ""},
    {"type": "api", "key": "a\nb"},
    {"type": "oauth"},
    {"type": "oauth", "access": 5},
    {"type": "oauth", "access": ""},
    {"type": ["api"], "key": "K"},
    {"type": "wellknown", "key": "K", "token": "T"},
]


@pytest.mark.parametrize("text", MALFORMED)
def test_a_malformed_store_is_absent_and_reported(machine: Machine, text: str) -> None:
    for write in (machine.opencode, machine.own, machine.codex):
        write(text)
    for name in ("gemini", "geminisearch", "openai_oauth", "openrouter"):
        with pytest.raises(CredentialError):
            machine.resolve(name)
    assert len(store_problems(machine.config, machine.env, lambda: NOW)) == 3


@pytest.mark.parametrize("record", WRONG_RECORDS)
def test_a_wrong_record_never_crashes_and_others_still_count(machine: Machine, record: object) -> None:
    machine.opencode({"google": record, "openai": record, "openrouter": api("good")})
    machine.own({"gemini": record, "openai_oauth": record})
    machine.codex({"tokens": record, "last_refresh": record})
    for name in ("gemini", "openai_oauth"):
        with pytest.raises(CredentialError):
            machine.resolve(name)
    assert machine.header("openrouter") == "Bearer good"


@pytest.mark.parametrize("expires", [None, "soon", True, -5, 10**400, 1e308, [], {}])
def test_a_strange_expiry_does_not_make_a_sign_in_crash(machine: Machine, expires: object) -> None:
    machine.opencode({"openai": {"type": "oauth", "access": "a", "refresh": "r", "expires": expires}})
    assert machine.resolve("openai_oauth").kind == "oauth"


def test_stores_that_cannot_be_read_are_problems(machine: Machine) -> None:
    (machine.home / ".codex/auth.json").mkdir(parents=True)
    machine.own(b"\xff\xfe".decode("latin-1"))
    machine.opencode('{"x": "' + "y" * 1024 * 1024 + '"}')
    reasons = [problem.reason for problem in store_problems(machine.config, machine.env, lambda: NOW)]
    assert reasons == [
        "larger than 1024 KB, so it was not read",
        "not valid JSON",
        "this is a folder, not a file",
    ]


@pytest.mark.skipif(os.name == "nt", reason="symbolic links of POSIX")
def test_a_store_that_is_a_loop_of_links_is_a_problem(machine: Machine) -> None:
    path = machine.home / ".codex/auth.json"
    path.parent.mkdir()
    path.symlink_to(path)
    with pytest.raises(MissingOpenAISession):
        machine.resolve("openai_oauth")
    assert len(store_problems(machine.config, machine.env, lambda: NOW)) == 1


def test_a_credential_and_its_findings_never_show_a_secret(machine: Machine) -> None:
    machine.opencode({"google": api("SECRET1"), "openai": signed_in("SECRET2")})
    machine.env.update(OPENROUTER_API_KEY="SECRET3", GEMINI_API_KEY="SECRET4")
    shown = [repr(machine.resolve(name)) for name in ("gemini", "openai_oauth", "openrouter")]
    shown += [repr(machine.config), repr(survey(machine.config, machine.env, lambda: NOW))]
    assert "SECRET" not in "".join(shown)
