"""Ways an OpenAI sign-in goes otherwise; all of them are read by the sign-in server itself."""

from __future__ import annotations

from groundwire.emulator.scenarios import Scenario

_ABOUT = {
    "refresh-token-expired": "refreshing fails for good: refresh_token_expired",
    "refresh-token-reused": "refreshing fails for good: refresh_token_reused",
    "refresh-token-invalidated": "refreshing fails for good: refresh_token_invalidated",
    "short-lived-token": "a refreshed access token lives two minutes, so Codex refreshes again",
    "device-manual": "the device sign-in waits until the code is typed at /codex/device",
    "device-denied": "the device sign-in is declined",
    "device-disabled": "device sign-in is not enabled: 404",
}

OPENAI_SIGNIN_SCENARIOS = tuple(
    Scenario(name, about, apis=("openai-oauth",)) for name, about in _ABOUT.items()
)
