"""What each client must be told to talk to an emulator: environment variables and settings."""

from __future__ import annotations

from groundwire.emulator.openai.tokens import Account, access_token
from groundwire.emulator.world import World

GEMINI_KEY = "emulator-gemini-key"
OPENROUTER_KEY = "sk-or-v1-emulator"


def environment(world: World) -> dict[str, str]:
    """All variables at once: enough for groundwire, and for every client that reads only these."""
    base = world.base_url
    return {
        "GEMINI_API_KEY": GEMINI_KEY,
        "GOOGLE_GEMINI_BASE_URL": base,
        "CODE_ASSIST_ENDPOINT": base,
        "GROUNDWIRE_GOOGLE_OAUTH_URL": base,
        "GROUNDWIRE_OPENAI_OAUTH_URL": base,
        "CODEX_ACCESS_TOKEN": access_token(Account(), base, world.clock()),
        "GROUNDWIRE_CODEX_BASE_URL": f"{base}/backend-api/codex",
        "OPENROUTER_API_KEY": OPENROUTER_KEY,
        "OPENROUTER_BASE_URL": f"{base}/api/v1",
        "NO_PROXY": "127.0.0.1,localhost,::1",
        "no_proxy": "127.0.0.1,localhost,::1",
    }
