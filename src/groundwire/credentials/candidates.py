"""The places where a credential can be: each method looks at one and gives what it has, usable or not.

Which places count for whom, and in what order, is written in `resolve`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from groundwire.config import Config, ConfigProblem, Upstream
from groundwire.config.checks import usable_key
from groundwire.config.files import Unreadable, parse_toml, read_text
from groundwire.credentials.adc_files import (
    INSTALL,
    METADATA_SERVER,
    AdcPlace,
    adc_file,
    described,
    is_installed,
    project_in,
)
from groundwire.credentials.base import Clock, CredentialKind
from groundwire.credentials.gemini_cli_encrypted import EncryptedStore, encrypted_place, this_machine
from groundwire.credentials.google_client import client_for
from groundwire.credentials.google_records import (
    encrypted_tokens,
    gemini_cli_tokens,
    opencode_tokens,
    own_tokens,
)
from groundwire.credentials.memory import Memory
from groundwire.credentials.openai_oauth import ends_at
from groundwire.credentials.own_store import own_store
from groundwire.credentials.records import (
    BadRecord,
    OAuthTokens,
    api_key_record,
    codex_tokens,
    oauth_record,
)
from groundwire.credentials.store import FileStore, Reading, Store, TextStore
from groundwire.credentials.token_places import (
    TokenPlace,
    codex_place,
    gemini_cli_place,
    opencode_google_place,
    own_google_place,
    own_place,
    record_place,
)
from groundwire.errors import InvalidConfig, MissingGoogleClient
from groundwire.secret import Secret
from groundwire.transport.vertex import VertexProject

OPENCODE_SIGN_IN = "opencode auth login (choose OpenAI, then ChatGPT)"
OPENCODE_GOOGLE_SIGN_IN = "opencode auth login (choose Google), or: groundwire login google"
CODEX_SIGN_IN = "codex login"
OPENAI_SIGN_IN = "groundwire login openai"
GOOGLE_SIGN_IN = "groundwire login google"
GEMINI_CLI_SIGN_IN = "gemini (choose Sign in with Google), or: groundwire login google"
IN_KEYRING = (
    "Codex keeps its sign-in in the system's keyring, which groundwire does not read; "
    'set cli_auth_credentials_store = "file" in Codex\'s config.toml and run codex login'
)


NOT_BY_ITSELF = (
    "Google's terms forbid other programs to use Gemini CLI's sign-in; "
    "to use it all the same: export GROUNDWIRE_GEMINI_UPSTREAM=code-assist"
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """What one place has: a key, or tokens with the place that renews them, or Application Default
    Credentials with the place on Vertex AI they are for, or the reason it is unusable."""

    where: str
    kind: CredentialKind
    key: Secret | None = None
    tokens: OAuthTokens | None = field(default=None, repr=False)
    place: TokenPlace | None = field(default=None, repr=False)
    unusable: str | None = None
    adc: AdcPlace | None = None
    vertex: VertexProject | None = None


class Places:
    """Everywhere we look. Stores are read at most once, when a step first asks."""

    def __init__(self, config: Config, env: Mapping[str, str], clock: Clock) -> None:
        self._config = config
        self._env = env
        self._clock = clock
        self._readings: dict[str, Reading] = {}
        self._memory = Memory(config.paths.state_dir)
        self._own = own_store(config)
        self._codex = FileStore(config.paths.codex_auth, "Codex's auth.json")
        self._gemini_cli = FileStore(
            config.paths.gemini_home / "oauth_creds.json", "Gemini CLI's oauth_creds.json"
        )
        self._encrypted = EncryptedStore(
            config.paths.gemini_home / "gemini-credentials.json", *this_machine()
        )
        self._opencode: Store = FileStore(config.paths.opencode_auth, "OpenCode's auth.json")
        self._bad_content: ConfigProblem | None = None
        if content := env.get("OPENCODE_AUTH_CONTENT"):
            given = TextStore(content, "environment variable OPENCODE_AUTH_CONTENT")
            self._bad_content = given.read().problem
            if self._bad_content is None:  # when it is not JSON, OpenCode reads the file after all
                self._opencode = given

    def problems(self) -> list[ConfigProblem]:
        """Stores that cannot be read, and why."""
        readings = [self._read(store) for store in self._stores()]
        found = [self._bad_content, *(reading.problem for reading in readings)]
        return [problem for problem in found if problem is not None]

    def files(self) -> list[Path]:
        """The store files that are there."""
        return [store.path for store in self._stores() if store.path and self._read(store).present]

    def _stores(self) -> tuple[Store, ...]:
        return (self._opencode, self._own, self._codex, self._gemini_cli, self._encrypted)

    def argument(self, name: str) -> Iterator[Candidate]:
        """A key given by the caller."""
        return self._configured(name, argument=True)

    def opencode_config(self, name: str) -> Iterator[Candidate]:
        """A key in OpenCode's configuration."""
        return self._configured(name, argument=False)

    def _configured(self, name: str, *, argument: bool) -> Iterator[Candidate]:
        settings = {
            "gemini": self._config.gemini,
            "geminisearch": self._config.geminisearch,
            "openrouter": self._config.openrouter,
        }[name]
        origin = self._config.origins.get(f"{name}.api_key", "")
        if settings.api_key is not None and (origin == "argument") == argument:
            block = {"gemini": "google"}.get(name, name)
            where = "argument" if argument else f"provider.{block}.options.apiKey in {origin}"
            yield Candidate(where, "api_key", key=settings.api_key)

    def variable(self, name: str) -> Iterator[Candidate]:
        """A key in an environment variable."""
        where = f"environment variable {name}"
        try:
            if (key := usable_key(self._env.get(name, ""))) is not None:
                yield Candidate(where, "api_key", key=key)
        except ValueError as wrong:
            yield Candidate(where, "api_key", unusable=f"it {wrong}")

    def opencode_key(self, name: str) -> Iterator[Candidate]:
        """An `api` record in OpenCode's store."""
        return self._stored_key(self._opencode, name)

    def own_key(self, name: str) -> Iterator[Candidate]:
        """An `api` record in our own store."""
        return self._stored_key(self._own, name)

    def _stored_key(self, store: Store, name: str) -> Iterator[Candidate]:
        try:
            if (key := api_key_record(self._read(store).document, name)) is not None:
                yield Candidate(store.where, "api_key", key=key)
        except BadRecord as reason:
            yield Candidate(store.where, "api_key", unusable=str(reason))

    @property
    def upstream(self) -> Upstream:
        """The way to Gemini that was chosen."""
        return self._config.gemini.upstream

    def vertex(self, *, chosen: bool) -> Iterator[Candidate]:
        """A key of Vertex AI's express mode, then Application Default Credentials.

        A key counts only where Vertex AI was chosen for Gemini and no project is named, as for Google's own
        library: otherwise it is the Gemini API's. Only who chose Vertex AI gets the project that the
        credentials name, or this machine's own credentials, which nobody sees without asking a server.
        """
        settings = self._config.vertex
        keys: list[Candidate] = []
        if self.upstream == "vertex" and settings.project is None:
            express = VertexProject(None, base_url=self._config.urls.vertex)
            found_keys = self.variable("GOOGLE_API_KEY")
            keys = [replace(key, kind="vertex_key", vertex=express) for key in found_keys]
        yield from keys
        found = adc_file(self._env, self._config.paths.home)
        if found is None and (keys or not chosen):
            return
        found = found or METADATA_SERVER
        project = settings.project
        try:
            if found.path is not None:
                content = described(found.path)
                project = project or (project_in(content) if chosen else None)
        except InvalidConfig as reason:
            yield Candidate(found.where, "adc", unusable=reason.message.rstrip("."))
            return
        if project is None:
            missing = "Vertex AI needs to know the project: export GOOGLE_CLOUD_PROJECT=..."
            yield Candidate(found.where, "adc", unusable=missing)
        elif not is_installed():
            missing = f"Vertex AI needs the package google-auth: {INSTALL}"
            yield Candidate(found.where, "adc", unusable=missing)
        else:
            place = VertexProject(project, settings.location, self._config.urls.vertex)
            yield Candidate(found.where, "adc", adc=found, vertex=place)

    def argument_token(self, name: str) -> Iterator[Candidate]:
        """An access token given by the caller."""
        if name == "openai_oauth" and (token := self._config.openai_oauth.api_key) is not None:
            yield Candidate("argument", "oauth", tokens=OAuthTokens(token))

    def variable_token(self, name: str) -> Iterator[Candidate]:
        """An access token in an environment variable."""
        for found in self.variable(name):
            if found.key is None:
                yield Candidate(found.where, "oauth", unusable=found.unusable)
            else:
                yield self._sign_in(found.where, OAuthTokens(found.key), None)

    def opencode_sign_in(self, name: str) -> Iterator[Candidate]:
        """A ChatGPT sign-in in an `oauth` record of OpenCode's store."""
        place = record_place(self._opencode, name, self._memory, OPENCODE_SIGN_IN)
        return self._sign_ins(place, lambda document: oauth_record(document, name))

    def own_sign_in(self, name: str) -> Iterator[Candidate]:
        """A ChatGPT sign-in in our own store."""
        place = own_place(self._own, name, self._memory, OPENAI_SIGN_IN)
        return self._sign_ins(place, lambda document: oauth_record(document, name))

    def codex_sign_in(self) -> Iterator[Candidate]:
        """The ChatGPT sign-in of Codex."""
        place = codex_place(self._codex, self._memory, CODEX_SIGN_IN)
        yield from self._sign_ins(place, codex_tokens)
        if not self._read(self._codex).present and _uses_keyring(self._config.paths.codex_home):
            yield Candidate(self._codex.where, "oauth", unusable=IN_KEYRING)

    def google_token(self) -> Iterator[Candidate]:
        """An access token in the variable that Gemini CLI reads, under the condition it sets."""
        if self._env.get("GOOGLE_GENAI_USE_GCA", "").lower() in ("true", "1"):
            yield from self.variable_token("GOOGLE_CLOUD_ACCESS_TOKEN")

    def own_google(self) -> Iterator[Candidate]:
        """A Google sign-in in our own store."""
        place = own_google_place(self._own, self._memory, GOOGLE_SIGN_IN)
        return self._sign_ins(place, own_tokens, self._not_renewable)

    def opencode_google(self, name: str) -> Iterator[Candidate]:
        """A Google sign-in in an `oauth` record of OpenCode's store."""
        place = opencode_google_place(self._opencode, name, self._memory, OPENCODE_GOOGLE_SIGN_IN)
        return self._sign_ins(place, lambda document: opencode_tokens(document, name), self._not_renewable)

    def gemini_cli_google(self) -> Iterator[Candidate]:
        """The sign-in of Gemini CLI, in its plain store and in its encrypted one."""
        plain = gemini_cli_place(self._gemini_cli, self._memory, GEMINI_CLI_SIGN_IN)
        yield from self._sign_ins(plain, gemini_cli_tokens, self._not_renewable)
        sealed = encrypted_place(self._encrypted, self._memory, GEMINI_CLI_SIGN_IN)
        yield from self._sign_ins(sealed, encrypted_tokens, self._not_renewable)
        if (problem := self._read(self._encrypted).problem) is not None:
            yield Candidate(self._encrypted.where, "oauth", unusable=problem.reason)

    def _not_renewable(self, tokens: OAuthTokens) -> str | None:
        """Why a Google sign-in whose token has ended cannot be renewed, if it cannot."""
        try:
            client_for(self._config, self._env)(tokens)
        except MissingGoogleClient:
            return "the access token has ended, and no OAuth client is configured to renew it"
        return None

    def _sign_ins(
        self,
        place: TokenPlace,
        load: Callable[[Mapping[str, object]], OAuthTokens | None],
        not_renewable: Callable[[OAuthTokens], str | None] = lambda tokens: None,
    ) -> Iterator[Candidate]:
        try:
            if load(self._read(place.store).document) is None:
                return
            tokens = place.load()  # with what we remember of it
            if tokens is not None:
                yield self._sign_in(place.store.where, tokens, place, not_renewable)
        except BadRecord as reason:
            yield Candidate(place.store.where, "oauth", unusable=str(reason))

    def _sign_in(
        self,
        where: str,
        tokens: OAuthTokens,
        place: TokenPlace | None,
        not_renewable: Callable[[OAuthTokens], str | None] = lambda tokens: None,
    ) -> Candidate:
        """A sign-in that has ended counts only if it can be renewed."""
        reason = None
        end = ends_at(tokens)
        if self._memory.has_ended(tokens.refresh):
            reason = "the sign-in has ended: its server refused it for good"
        elif end is not None and end <= self._clock():
            if place is None or place.store.path is None:
                reason = "the access token has ended, and it cannot be renewed here"
            elif tokens.refresh is None:
                reason = "the access token has ended and there is no refresh token"
            else:
                reason = not_renewable(tokens)
        if reason is not None:
            return Candidate(where, "oauth", unusable=reason)
        return Candidate(where, "oauth", tokens=tokens, place=place)

    def _read(self, store: Store) -> Reading:
        if store.where not in self._readings:
            self._readings[store.where] = store.read()
        return self._readings[store.where]


def _uses_keyring(codex_home: Path) -> bool:
    try:
        settings = parse_toml(read_text(codex_home / "config.toml") or "")
    except Unreadable:
        return False
    return settings.get("cli_auth_credentials_store") in ("keyring", "auto")
