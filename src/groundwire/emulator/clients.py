"""What each client must be told to talk to an emulator: variables, files, and a command to try.

The settings were found by running the real programs; a comment says which one is surprising.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field

from groundwire.emulator.openai.tokens import Account, access_token, id_token
from groundwire.emulator.wire import to_json
from groundwire.emulator.world import World

GEMINI_KEY = "emulator-gemini-key"
GOOGLE_TOKEN = "ya29.emulator-access"  # noqa: S105  (opens nothing but an emulator)
OPENROUTER_KEY = "sk-or-v1-emulator"
REFRESH_TOKEN = "rt_emulator"  # noqa: S105  (opens nothing but an emulator)
CODEX_CLIENT = "app_EMoamEEZ73f0CkXaXp7hrann"
LOOPBACK = "127.0.0.1,localhost,::1"


@dataclass(frozen=True, slots=True)
class Client:
    """One client: its variables, the files it needs in a folder of its own, and a command to try."""

    name: str
    variables: Mapping[str, str]
    command: str
    folder: str = ""
    """The variable that names the client's own folder, when it needs one."""
    files: Mapping[str, str] = field(default_factory=dict)


def environment(world: World) -> dict[str, str]:
    """Every variable that groundwire reads, which is enough for the Python and Node libraries too."""
    base = world.base_url
    return {
        "GEMINI_API_KEY": GEMINI_KEY,
        "GOOGLE_GEMINI_BASE_URL": base,
        "CODE_ASSIST_ENDPOINT": base,
        "GOOGLE_VERTEX_BASE_URL": base,
        "GROUNDWIRE_GOOGLE_OAUTH_URL": base,
        "GROUNDWIRE_OPENAI_OAUTH_URL": base,
        "GROUNDWIRE_CODEX_BASE_URL": f"{base}/backend-api/codex",
        "CODEX_ACCESS_TOKEN": access_token(Account(), base, world.clock()),
        "OPENROUTER_API_KEY": OPENROUTER_KEY,
        "OPENROUTER_BASE_URL": f"{base}/api/v1",
        # A proxy set in the environment would be asked for loopback addresses too.
        "NO_PROXY": LOOPBACK,
        "no_proxy": LOOPBACK,
    }


def clients(world: World) -> tuple[Client, ...]:
    """All clients we know how to point at an emulator."""
    base = world.base_url
    return (
        Client("groundwire", environment(world), 'groundwire search "weather in Beijing"'),
        _gemini_cli(base),
        _gemini_cli_signed_in(base),
        _opencode(base),
        _codex(world),
        Client(
            "google-genai (Python and JavaScript)",
            {"GEMINI_API_KEY": GEMINI_KEY, "GOOGLE_GEMINI_BASE_URL": base, "NO_PROXY": LOOPBACK},
            # The client is kept in a name: one that nobody holds closes its connections.
            "python -c 'from google import genai; c = genai.Client(); print(c.models.generate_content("
            'model="gemini-2.5-flash", contents="hello").text)\'',
        ),
        Client(
            "openai (Python and JavaScript)",
            {"OPENAI_API_KEY": OPENROUTER_KEY, "OPENAI_BASE_URL": f"{base}/api/v1", "NO_PROXY": LOOPBACK},
            "python -c 'from openai import OpenAI; print(OpenAI().responses.create("
            'model="openai/gpt-5.5", input="hello").output_text)\'',
        ),
    )


def _gemini_cli(base: str) -> Client:
    settings = {
        # Without selectedType the CLI takes a base URL for a gateway and refuses to start.
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    }
    return Client(
        "Gemini CLI with an API key",
        {
            "GEMINI_API_KEY": GEMINI_KEY,
            "GOOGLE_GEMINI_BASE_URL": base,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "NO_PROXY": LOOPBACK,
        },
        "gemini -m gemini-2.5-flash -p hello </dev/null",
        folder="GEMINI_CLI_HOME",
        files={".gemini/settings.json": to_json(settings).decode()},
    )


def _gemini_cli_signed_in(base: str) -> Client:
    return Client(
        "Gemini CLI signed in with Google (Code Assist)",
        {
            "GOOGLE_GENAI_USE_GCA": "true",
            "GOOGLE_CLOUD_ACCESS_TOKEN": GOOGLE_TOKEN,
            "GOOGLE_CLOUD_PROJECT": "emulator-project",
            "CODE_ASSIST_ENDPOINT": base,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "NO_PROXY": LOOPBACK,
        },
        "gemini -m gemini-2.5-flash -p hello </dev/null",
        folder="GEMINI_CLI_HOME",
    )


def _opencode(base: str) -> Client:
    provider = {
        "npm": "@ai-sdk/google",
        "options": {"baseURL": f"{base}/v1beta", "apiKey": GEMINI_KEY},
        "models": {"gemini-2.5-flash": {}},
    }
    return Client(
        "OpenCode",
        {
            "OPENCODE_CONFIG_CONTENT": to_json({"provider": {"emulator": provider}}).decode(),
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "NO_PROXY": LOOPBACK,
        },
        "opencode run -m emulator/gemini-2.5-flash hello </dev/null",
    )


def _codex(world: World) -> Client:
    base, now, account = world.base_url, world.clock(), Account()
    config = (
        'model = "gpt-5.5"\n'
        'model_provider = "emulator"\n'
        f'chatgpt_base_url = "{base}/backend-api/"\n'
        "[model_providers.emulator]\n"
        'name = "emulator"\n'
        f'base_url = "{base}/backend-api/codex"\n'
        'wire_api = "responses"\n'
        "requires_openai_auth = true\n"
    )
    tokens = {
        "id_token": id_token(account, base, CODEX_CLIENT, now),
        "access_token": access_token(account, base, now),
        "refresh_token": REFRESH_TOKEN,
        "account_id": account.account_id,
    }
    auth = {"auth_mode": "chatgpt", "OPENAI_API_KEY": None, "tokens": tokens, "last_refresh": _timestamp(now)}
    return Client(
        "Codex",
        {"CODEX_REFRESH_TOKEN_URL_OVERRIDE": f"{base}/oauth/token", "NO_PROXY": LOOPBACK},
        "codex exec --skip-git-repo-check hello </dev/null",
        folder="CODEX_HOME",
        files={"config.toml": config, "auth.json": to_json(auth).decode()},
    )


def _timestamp(seconds: float) -> str:
    from datetime import UTC, datetime  # noqa: PLC0415  (only when the recipe is printed)

    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def as_shell(client: Client) -> str:
    """The recipe as lines to paste into a POSIX shell."""
    lines = [f"# {client.name}"]
    if client.folder:
        lines.append(f'export {client.folder}="$(mktemp -d)"')
    for path, content in client.files.items():
        target = f'"${client.folder}/{path}"'
        if "/" in path:
            lines.append(f'mkdir -p "${client.folder}/{path.rpartition("/")[0]}"')
        lines.append(f"printf '%s' {shlex.quote(content)} > {target}")
    lines += [f"export {name}={shlex.quote(value)}" for name, value in client.variables.items()]
    return "\n".join([*lines, client.command])
