"""The only wiring: a Config becomes transports, providers, the routes that lead to them, and the agent.

    route("gemini")  =  Gemini + Retry( Auth( Http )), the credential found when the route is used
                               Retry( Vertex( Auth( Http )))      with Application Default Credentials
                               Retry( CodeAssist( Auth( Http )))  with a Google sign-in

Everything that touches the world (environment, clock, network) enters here and is passed down.
"""

from __future__ import annotations

import asyncio
import os
import time
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, aclosing
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from groundwire.citations import WebSearchResult, failure
from groundwire.config import PROVIDERS, Config, ProviderSettings, load_config
from groundwire.credentials.base import Credential
from groundwire.credentials.resolve import resolve, usable_providers
from groundwire.credentials.telling_why import TellingWhy
from groundwire.errors import GroundwireError, MissingCorpus, MissingGeminiKey, UnknownProvider
from groundwire.providers.base import Provider
from groundwire.providers.gemini import Gemini
from groundwire.providers.local import CorpusTransport, Local
from groundwire.providers.openai_oauth import OpenAIOAuth
from groundwire.providers.openrouter import OpenRouter
from groundwire.query import Route, clean, search, search_stream
from groundwire.search_tools import SEARCH_TOOLS, check_arguments
from groundwire.transport.auth import Auth
from groundwire.transport.base import Transport
from groundwire.transport.code_assist import CodeAssist
from groundwire.transport.http import Http
from groundwire.transport.proxies import proxy_for
from groundwire.transport.public_web import PublicWeb
from groundwire.transport.retry import Retry, RetryPolicy
from groundwire.transport.vertex import Vertex

if TYPE_CHECKING:
    from groundwire.agent.approval import Ask
    from groundwire.agent.events import Tell
    from groundwire.agent.loop import Agent
    from groundwire.agent.model import GeminiModel
    from groundwire.agent.session import Session
    from groundwire.agent.session_store import SessionStore
    from groundwire.agent.tally import Limits
    from groundwire.corpus import Corpus, Progress

NO_PROVIDER = (
    "No provider can be asked: no Gemini key, no ChatGPT sign-in, no OpenRouter key and no corpus was found."
)
NO_PROVIDER_HINT = "groundwire doctor shows what is missing and the commands that fix it."


def config_from_world(arguments: Mapping[str, object] | None = None) -> Config:
    """The Config of this process: its environment, working directory and HOME, then these arguments."""
    return load_config(env=os.environ, cwd=Path.cwd(), home=Path.home(), arguments=arguments)


def open_http(env: Mapping[str, str]) -> Http:
    """The network, as the environment has it; an async context manager."""
    return Http(ca_file=_ca_file(env))


class Runtime:
    """Everything needed to search, wired once and used for many searches. An async context manager."""

    def __init__(
        self,
        config: Config,
        *,
        env: Mapping[str, str] | None = None,
        http: Transport | None = None,
        web: PublicWeb | None = None,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        progress: Callable[[Progress], None] | None = None,
    ) -> None:
        """`http` stands in for the network, `web` for the pages of the web, `progress` is told how far the
        indexing of documents is."""
        self.config = config
        self._env = os.environ if env is None else env
        self._clock = clock
        self._sleep = sleep
        self._stack = AsyncExitStack()
        self._http = http
        self._session_id = str(uuid.uuid4())
        self._kept: dict[str, Credential] = {}
        self._web = web or PublicWeb(
            ca_file=_ca_file(self._env),
            proxy_for=lambda target: proxy_for(target.scheme, target.host, target.port, self._env),
            proxy_looks_up=config.agent.proxy_looks_up,
        )
        self._documents = CorpusTransport(self._open_corpus, progress=progress)
        self._stack.callback(self._documents.close)

    async def __aenter__(self) -> Self:
        if self._http is None:
            self._http = await self._stack.enter_async_context(open_http(self._env))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    def usable(self) -> list[str]:
        """The providers that have what they need, in the order of PROVIDERS."""
        return usable_providers(self.config, self._env, self._clock)

    def chosen(self, provider: str | None) -> str:
        """The provider to ask: the named one, the configured one, or the first that is usable."""
        name = provider or self.config.search.provider
        if name is None:
            usable = self.usable()
            if not usable and self.config.gemini.upstream != "auto":
                return "gemini"  # its own error tells what the chosen way to it lacks
            if not usable:
                raise MissingGeminiKey(NO_PROVIDER, hint=NO_PROVIDER_HINT)
            return usable[0]
        if name not in (*PROVIDERS, "geminisearch"):
            raise UnknownProvider(
                f"There is no provider '{name}'.", hint=f"Choose one of: {', '.join(PROVIDERS)}."
            )
        return name

    def route(self, name: str) -> Route:
        """The way to a provider."""
        assert self._http is not None, "a Runtime is used inside 'async with'"
        http = self._http
        return Route(name, self._provider(name), lambda: self._connected(name, http), open_web=http)

    async def search(self, query: object, provider: str | None = None) -> WebSearchResult:
        """The result of asking one provider; a failure is a result, too."""
        try:
            clean(query)  # what is wrong with the query is told before what is missing
            route = self.route(self.chosen(provider))
        except GroundwireError as error:
            return failure(error)
        return await search(query, route, self.config.search)

    async def search_stream(
        self, query: object, provider: str | None = None
    ) -> AsyncGenerator[str | WebSearchResult]:
        """Text as it arrives, last the result."""
        try:
            clean(query)  # what is wrong with the query is told before what is missing
            route = self.route(self.chosen(provider))
        except GroundwireError as error:
            yield failure(error)
            return
        async with aclosing(search_stream(query, route, self.config.search)) as events:
            async for event in events:
                yield event

    async def search_all(self, query: object) -> dict[str, WebSearchResult]:
        """Every usable provider's result, all asked at once."""
        names = self.usable()
        results = await asyncio.gather(*(self.search(query, name) for name in names))
        return dict(zip(names, results, strict=True))

    async def call_search_tool(self, name: str, arguments: object) -> WebSearchResult:
        """A search tool's result, as a model gets it."""
        tool = SEARCH_TOOLS[name]
        rejected = check_arguments(tool, arguments)
        if rejected is not None:
            return rejected
        assert isinstance(arguments, Mapping)
        return await self.search(arguments["query"], tool.provider or arguments.get("provider"))

    def agent(
        self,
        workspace: str | os.PathLike[str],
        *,
        model: str | None = None,
        approve: str | Ask = "ask",
        ask: Ask | None = None,
        shell: bool = False,
        limits: Limits | None = None,
        tell: Tell | None = None,
        session: Session | None = None,
        conversing: bool = False,
    ) -> Agent:
        """A Gemini model at work in a workspace, its searches answered by the provider gemini.

        With `shell` it may run commands, in an environment without this process's secrets; `conversing`, its
        questions are answered.
        """
        from groundwire.agent.loop import Agent  # noqa: PLC0415  (lazy: a search needs no agent)
        from groundwire.agent.prices import price_of  # noqa: PLC0415
        from groundwire.tools.run_shell_command import Shell  # noqa: PLC0415
        from groundwire.tools.safe_environment import without_secrets  # noqa: PLC0415

        route = self.route("gemini")
        return Agent(
            model=self.model(model),
            workspace=workspace,
            approve=approve,
            ask=ask,
            shell=Shell(without_secrets(self._env)) if shell or self.config.agent.shell else None,
            search=lambda query: search(query, route, self.config.search),
            get_page=self._web.get,
            limits=self._within_means(limits),
            price=price_of(self.agent_model(model), self.config.agent.prices, today=self._today()),
            tell=tell,
            session=session,
            conversing=conversing,
        )

    def _today(self) -> date:
        return datetime.fromtimestamp(self._clock()).astimezone().date()

    def _within_means(self, limits: Limits | None) -> Limits:
        """The limits, with the configured budget where they name none."""
        from groundwire.agent.tally import Limits  # noqa: PLC0415  (lazy, as above)

        given = limits or Limits()
        return given if given.cost is not None else replace(given, cost=self.config.agent.max_cost)

    def agent_model(self, wanted: str | None = None) -> str:
        """The model an agent works with: the wanted one, the configured one, or the provider's first."""
        return wanted or self.config.gemini.model or self.route("gemini").provider.models[0]

    def sessions(self) -> SessionStore:
        """Where the sessions of agents are kept."""
        from groundwire.agent.session_store import SessionStore  # noqa: PLC0415  (lazy: a search needs none)

        return SessionStore(self.config.paths.state_dir / "sessions", clock=self._clock)

    def model(self, name: str | None = None) -> GeminiModel:
        """A Gemini model to converse with: the named one, the configured one, or the usual one."""
        from groundwire.agent.model import GeminiModel  # noqa: PLC0415  (lazy: a search needs no agent)

        connect = self.route("gemini").connect
        return GeminiModel(self.agent_model(name), connect, base_url=self.config.gemini.base_url)

    def _provider(self, name: str) -> Provider:
        config = self.config
        if name == "local":
            return Local()
        if name == "openai_oauth":
            return OpenAIOAuth(base_url=config.openai_oauth.base_url, model=config.openai_oauth.model)
        if name == "openrouter":
            return _openrouter(config.openrouter)
        settings = config.geminisearch if name == "geminisearch" else config.gemini
        return Gemini(base_url=settings.base_url, model=settings.model)

    def _connected(self, name: str, http: Transport) -> Transport:
        if name == "local":
            if self.config.local.corpus is None:
                raise MissingCorpus("No folder of documents was given.")
            return self._documents
        policy = RetryPolicy(total=self.config.search.timeout)
        return Retry(self._signed(self._credential(name, http), http), policy, sleep=self._sleep)

    def _credential(self, name: str, http: Transport) -> Credential:
        credential = resolve(name, self.config, self._env, http, self._clock)
        if credential.vertex is None and credential.project is None:
            return credential
        # It holds what may be in no store, a token or a project: each request would look for its own.
        return self._kept.setdefault(credential.where, credential)

    def _signed(self, credential: Credential, http: Transport) -> Transport:
        """The way to a provider with this credential; for Gemini there are three."""
        signed = Auth(http, credential.authorizer)
        if credential.vertex is not None:
            return Vertex(signed, credential.vertex)
        if credential.project is not None:
            base_url = self.config.urls.code_assist
            project, session_id = credential.project, self._session_id
            return TellingWhy(CodeAssist(signed, project=project, base_url=base_url, session_id=session_id))
        return signed

    def _open_corpus(self, progress: Callable[[Progress], None]) -> Corpus:
        from groundwire.corpus import Corpus  # noqa: PLC0415  (lazy: SQLite only for who searches documents)

        cache_dir = self.config.paths.cache_dir / "corpus"
        return Corpus.open(self.config.local.corpus, cache_dir=cache_dir, progress=progress)


def _ca_file(env: Mapping[str, str]) -> Path | None:
    given = env.get("SSL_CERT_FILE")
    return Path(given) if given else None


def _openrouter(settings: ProviderSettings) -> OpenRouter:
    return OpenRouter(
        base_url=settings.base_url,
        model=settings.model,
        web_tool=settings.web_tool,
        engine=settings.engine,
        max_results=settings.max_results,
    )
