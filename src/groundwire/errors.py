"""Every deliberate failure of groundwire, in one tree.

    GroundwireError
    ├── UsageError                    the words we were given are wrong: change them
    │   ├── InvalidQuery
    │   ├── InvalidToolArguments
    │   ├── InvalidConfig
    │   ├── InvalidRequest
    │   ├── UnknownProvider
    │   ├── CannotInstall
    │   ├── MissingPackage
    │   └── BadTasks
    ├── CredentialError               a key or a sign-in is needed: get one
    │   ├── MissingGeminiKey
    │   ├── MissingOpenAISession
    │   ├── MissingOpenRouterKey
    │   ├── MissingVertexCredentials
    │   ├── MissingCorpus
    │   ├── SignInExpired
    │   ├── MissingGoogleSignIn
    │   ├── MissingGoogleClient
    │   ├── BadGoogleClient
    │   ├── SignInFailed
    │   └── CodeAssistRefused         Google knows who asks, and says no
    │       ├── ProjectRequired
    │       ├── IneligibleAccount
    │       │   └── UnsupportedClient
    │       ├── ValidationRequired
    │       ├── AccountSuspended
    │       ├── ServiceDisabled
    │       ├── NotLicensed
    │       ├── BlockedByPerimeter
    │       └── OnboardingFailed
    ├── SearchFailed                  a provider was asked and gave no usable answer
    │   ├── GeminiSearchFailed
    │   ├── OpenAISearchFailed
    │   ├── OpenRouterSearchFailed
    │   └── LocalSearchFailed
    ├── TransportError                the wire itself: nothing usable came back
    │   ├── ConnectFailed
    │   ├── TimedOut
    │   ├── ConnectionCut
    │   ├── BodyTooLarge
    │   ├── UnreadableAnswer
    │   ├── RedirectRefused
    │   ├── InsecureUrl
    │   ├── AddressRefused
    │   └── PageUnreadable
    ├── ModelFailed                   an agent's model was asked and gave no usable reply
    ├── SessionError                  a session of the agent cannot be used
    │   ├── SessionNotFound
    │   ├── SessionBusy
    │   ├── SessionUnreadable
    │   └── SessionNotWritten
    ├── EvaluationFailed              an evaluation could not go on
    │   └── GitFailed
    ├── ScriptNotFollowed             an emulator's script met other requests than it was written for
    └── ToolError                     told to the model, in Gemini CLI's own error types

Each class knows its `code` (stable, machine-readable), the exit code of the command line, the HTTP
status a server of ours answers with, and a `hint`: what the reader can do next. A message never
contains a secret.
"""

from __future__ import annotations

from typing import ClassVar


class GroundwireError(Exception):
    """A failure that groundwire foresaw. Anything else leaving the package is a bug."""

    code: ClassVar[str] = "GROUNDWIRE_ERROR"
    exit_code: ClassVar[int] = 1
    http_status: ClassVar[int] = 500
    default_hint: ClassVar[str] = ""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = self.default_hint if hint is None else hint

    def __str__(self) -> str:
        if not self.hint:
            return self.message
        stop = "" if self.message.endswith((".", "!", "?", "…", ":", ".)")) else "."
        return f"{self.message}{stop} {self.hint}"


class UsageError(GroundwireError):
    """The words we were given are wrong; nothing was sent."""

    code = "USAGE_ERROR"
    exit_code = 2
    http_status = 400


class InvalidQuery(UsageError):
    """The query is missing, blank, too long or not valid text."""

    code = "INVALID_QUERY"


class InvalidToolArguments(UsageError):
    """A tool was called with arguments it does not take."""

    code = "INVALID_TOOL_ARGUMENTS"


class InvalidConfig(UsageError):
    """A setting cannot be used: a broken file, a wrong type, an address we refuse."""

    code = "INVALID_CONFIG"


class InvalidRequest(UsageError):
    """A request for the Gemini API that cannot be handed on as it is."""

    code = "INVALID_REQUEST"


class UnknownProvider(UsageError):
    """A provider was named that does not exist."""

    code = "UNKNOWN_PROVIDER"


class CannotInstall(UsageError):
    """A host's file cannot be changed as wished: broken, not ours, or not writable. It was left alone."""

    code = "CANNOT_INSTALL"


class MissingPackage(UsageError):
    """What was asked for needs an optional package; the hint is the command that installs it."""

    code = "MISSING_PACKAGE"


class BadTasks(UsageError):
    """The tasks of an evaluation cannot be used: a broken line, a missing repository, an unknown commit."""

    code = "BAD_TASKS"


class CredentialError(GroundwireError):
    """A key or a sign-in is needed before anything can be asked; nothing was sent."""

    code = "CREDENTIAL_ERROR"
    exit_code = 3
    http_status = 401


class MissingGeminiKey(CredentialError):
    """No Gemini API key was found anywhere."""

    code = "MISSING_GEMINI_API_KEY"
    default_hint = (
        "Get a key at https://aistudio.google.com/apikey, then run: "
        "export GEMINI_API_KEY=... (or: groundwire login gemini)"
    )


class MissingOpenAISession(CredentialError):
    """No ChatGPT sign-in was found in any store."""

    code = "MISSING_OPENAI_OAUTH_SESSION"
    default_hint = (
        "Sign in with one of: groundwire login openai, codex login, or opencode auth login (OpenAI, ChatGPT)."
    )


class MissingOpenRouterKey(CredentialError):
    """No OpenRouter API key was found anywhere."""

    code = "MISSING_OPENROUTER_API_KEY"
    default_hint = (
        "Get a key at https://openrouter.ai/keys, then run: "
        "export OPENROUTER_API_KEY=... (or: groundwire login openrouter)"
    )


class MissingVertexCredentials(CredentialError):
    """Vertex AI was chosen, and there are no Application Default Credentials, or no project."""

    code = "MISSING_VERTEX_CREDENTIALS"
    default_hint = (
        "Run: gcloud auth application-default login (or set GOOGLE_APPLICATION_CREDENTIALS to a key file), "
        "and: export GOOGLE_CLOUD_PROJECT=..."
    )


class MissingCorpus(CredentialError):
    """The provider `local` was asked without a folder of documents."""

    code = "MISSING_CORPUS"
    default_hint = "Name the folder: groundwire search QUERY --provider local --corpus DIR"


class SignInExpired(CredentialError):
    """A stored sign-in can no longer be renewed."""

    code = "SIGN_IN_EXPIRED"


class MissingGoogleSignIn(CredentialError):
    """No Google sign-in was found in any store."""

    code = "MISSING_GOOGLE_SIGN_IN"
    default_hint = (
        "Read docs/sign-in.md first, then run: groundwire login google. "
        "An API key (groundwire login gemini) or Vertex AI is the way that Google supports."
    )


class MissingGoogleClient(CredentialError):
    """Google wants an OAuth client with its secret, and none is configured."""

    code = "MISSING_GOOGLE_CLIENT"
    default_hint = (
        "Set GROUNDWIRE_GOOGLE_CLIENT_ID and GROUNDWIRE_GOOGLE_CLIENT_SECRET to an OAuth client of your own "
        "(type: desktop app), or take that of a Gemini CLI on this machine: --use-gemini-cli-client, or "
        "GROUNDWIRE_GOOGLE_USE_GEMINI_CLI_CLIENT=1."
    )


class BadGoogleClient(CredentialError):
    """Google does not accept the OAuth client or its secret."""

    code = "BAD_GOOGLE_CLIENT"
    default_hint = (
        "Check the client id and the secret: a sign-in can be renewed only with the client it was made with. "
        "With another one, sign in again: groundwire login google"
    )


class SignInFailed(CredentialError):
    """A sign-in was begun and did not come to its end."""

    code = "SIGN_IN_FAILED"
    default_hint = "Start it again with the same command."


class CodeAssistRefused(CredentialError):
    """Google knows who asks, and does not give them Code Assist."""

    code = "CODE_ASSIST_REFUSED"
    http_status = 403
    default_hint = "An API key works without Code Assist: groundwire login gemini"


class ProjectRequired(CodeAssistRefused):
    """The account's licence wants a Google Cloud project, and none was named."""

    code = "PROJECT_REQUIRED"
    default_hint = (
        "Name the project your licence belongs to: export GOOGLE_CLOUD_PROJECT=my-project "
        "(its id, not its number)."
    )


class IneligibleAccount(CodeAssistRefused):
    """Google says that this account cannot use Code Assist."""

    code = "INELIGIBLE_ACCOUNT"
    default_hint = (
        "Sign in with an account that has a Code Assist Standard or Enterprise licence, "
        "or use an API key: groundwire login gemini"
    )


class UnsupportedClient(IneligibleAccount):
    """Code Assist no longer serves individual accounts through this kind of sign-in."""

    code = "UNSUPPORTED_CLIENT"
    default_hint = (
        "Since 18 June 2026 only Code Assist Standard and Enterprise licences are served. With such a one: "
        "export GOOGLE_CLOUD_PROJECT=its-project. Otherwise use an API key: groundwire login gemini"
    )


class ValidationRequired(CodeAssistRefused):
    """Google wants the person to verify the account on a page of its own."""

    code = "VALIDATION_REQUIRED"
    default_hint = "Verify the account at https://accounts.google.com, then try again."


class AccountSuspended(CodeAssistRefused):
    """Google disabled the service for this account, for a violation of its terms."""

    code = "ACCOUNT_SUSPENDED"
    default_hint = (
        "Stop using this sign-in (groundwire logout google), appeal to Google, and use an API key meanwhile."
    )


class ServiceDisabled(CodeAssistRefused):
    """The project has not enabled the API."""

    code = "SERVICE_DISABLED"
    default_hint = "Enable it: gcloud services enable cloudaicompanion.googleapis.com --project my-project"


class NotLicensed(CodeAssistRefused):
    """The person has no licence seat in the project's subscription."""

    code = "NOT_LICENSED"
    default_hint = (
        "Ask your administrator for a Gemini Code Assist seat, or name the project that has one: "
        "export GOOGLE_CLOUD_PROJECT=my-project"
    )


class BlockedByPerimeter(CodeAssistRefused):
    """The organization's VPC service controls do not let the request through."""

    code = "BLOCKED_BY_PERIMETER"
    default_hint = (
        "Name a project inside the perimeter: export GOOGLE_CLOUD_PROJECT=my-project; if it is already, ask "
        "your administrator to allow cloudcode-pa.googleapis.com."
    )


class OnboardingFailed(CodeAssistRefused):
    """Google began to set up Code Assist for the account and did not finish."""

    code = "ONBOARDING_FAILED"
    http_status = 502
    default_hint = (
        "Try again in a few minutes, or name your own project: export GOOGLE_CLOUD_PROJECT=my-project"
    )


class SearchFailed(GroundwireError):
    """A provider was asked and gave no usable answer.

    `model_at_fault` says that another model of the same provider might answer.
    """

    code = "WEB_SEARCH_FAILED"
    exit_code = 4
    http_status = 502
    default_hint = "Try again later, or use another provider."

    def __init__(self, message: str, *, hint: str | None = None, model_at_fault: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.model_at_fault = model_at_fault


class GeminiSearchFailed(SearchFailed):
    """Gemini refused, failed, or answered in a form that cannot be read."""

    code = "GEMINI_WEB_SEARCH_FAILED"


class OpenAISearchFailed(SearchFailed):
    """The Codex backend refused, failed, or answered without searching."""

    code = "OPENAI_OAUTH_WEB_SEARCH_FAILED"


class OpenRouterSearchFailed(SearchFailed):
    """OpenRouter refused, failed, or answered in a form that cannot be read."""

    code = "OPENROUTER_WEB_SEARCH_FAILED"


class LocalSearchFailed(SearchFailed):
    """The local corpus could not be read or searched."""

    code = "LOCAL_SEARCH_FAILED"


class TransportError(GroundwireError):
    """Nothing usable came back over the wire."""

    code = "TRANSPORT_ERROR"
    exit_code = 5
    http_status = 502


class ConnectFailed(TransportError):
    """No connection could be made."""

    code = "CONNECT_FAILED"
    default_hint = "Check the network, the proxy settings (HTTPS_PROXY, NO_PROXY) and the base URL."


class TimedOut(TransportError):
    """The server did not answer in time."""

    code = "TIMED_OUT"
    http_status = 504


class ConnectionCut(TransportError):
    """The connection ended before the answer was complete."""

    code = "CONNECTION_CUT"
    default_hint = "Try again."


class BodyTooLarge(TransportError):
    """An answer was larger than we are willing to hold."""

    code = "BODY_TOO_LARGE"


class UnreadableAnswer(TransportError):
    """An answer came that is not in the form its server promises."""

    code = "UNREADABLE_ANSWER"


class RedirectRefused(TransportError):
    """A server pointed elsewhere; credentials do not travel along."""

    code = "REDIRECT_REFUSED"


class InsecureUrl(TransportError):
    """Plain http to another machine would send a key in the clear."""

    code = "INSECURE_URL"
    exit_code = 2
    http_status = 400


class AddressRefused(TransportError):
    """A page's address is not one of the public web, or cannot be read."""

    code = "ADDRESS_REFUSED"
    exit_code = 2
    http_status = 400


class PageUnreadable(TransportError):
    """A page answered with an error, or with something that is no text."""

    code = "PAGE_UNREADABLE"


class ModelFailed(GroundwireError):
    """The model of an agent refused, failed, or replied in a form that cannot be read."""

    code = "MODEL_FAILED"
    exit_code = 4
    http_status = 502


class SessionError(GroundwireError):
    """A session of the agent cannot be used."""

    code = "SESSION_ERROR"
    exit_code = 9


class SessionNotFound(SessionError):
    """There is no session of that name, or none at all."""

    code = "SESSION_NOT_FOUND"
    exit_code = 2
    http_status = 404
    default_hint = "groundwire sessions lists them."


class SessionBusy(SessionError):
    """Another process works on the session."""

    code = "SESSION_BUSY"
    http_status = 409
    default_hint = "Wait until it has ended, or end it; then try again."


class SessionUnreadable(SessionError):
    """The transcript is damaged, or of a version that this groundwire does not know."""

    code = "SESSION_UNREADABLE"


class SessionNotWritten(SessionError):
    """The transcript could not be written, so the agent did nothing more."""

    code = "SESSION_NOT_WRITTEN"
    default_hint = "Make room and make the folder writable, or run without a session: --no-session."


class EvaluationFailed(GroundwireError):
    """An evaluation could not go on: a program is missing, or a folder belongs to another run."""

    code = "EVALUATION_FAILED"


class GitFailed(EvaluationFailed):
    """A git command did not do what it should; the message is git's own."""

    code = "GIT_FAILED"


class ScriptNotFollowed(GroundwireError):
    """An emulator's script has steps nobody asked for, or was asked something else."""

    code = "SCRIPT_NOT_FOLLOWED"


class ToolError(GroundwireError):
    """A tool call failed in a way the model should hear about.

    `type` (given as `kind`) is one of Gemini CLI's error type strings; `display` is the
    shorter text for the person.
    """

    code = "TOOL_ERROR"
    exit_code = 6
    http_status = 422

    def __init__(
        self, message: str, *, kind: str, llm_content: str | None = None, display: str | None = None
    ) -> None:
        super().__init__(message)
        self.type = kind
        self.llm_content = message if llm_content is None else llm_content
        self.display = message if display is None else display


def exit_code_for(code: str | None) -> int:
    """The exit code of the command line for an error's code; 1 for a code that is not ours."""
    return next((kind.exit_code for kind in every_error() if kind.code == code), 1)


def every_error() -> list[type[GroundwireError]]:
    """All classes of the tree, parents before children, in the order of the drawing."""
    found: list[type[GroundwireError]] = [GroundwireError]
    for kind in found:
        found += kind.__subclasses__()
    return found
