"""The access token check of Code Assist and Vertex AI."""

from __future__ import annotations

from groundwire.emulator.google.accounts import GoogleAccounts
from groundwire.emulator.google.errors import Refusal, error_info, google_error
from groundwire.emulator.wire import Call
from groundwire.emulator.world import World

_EXPECTED = (
    "Expected OAuth 2 access token, login cookie or other valid authentication credential. "
    "See https://developers.google.com/identity/sign-in/web/devconsole-project."
)
MISSING_CREDENTIALS = f"Request is missing required authentication credential. {_EXPECTED}"
INVALID_CREDENTIALS = f"Request had invalid authentication credentials. {_EXPECTED}"


def check_bearer(call: Call, world: World, service: str) -> None:
    """Refusal with 401 unless the call carries a good bearer token."""
    token = call.bearer
    if token is None:
        raise Refusal(
            google_error(
                401,
                MISSING_CREDENTIALS,
                details=[error_info("CREDENTIALS_MISSING", "googleapis.com", {"service": service})],
            )
        )
    if not world.of(GoogleAccounts).knows_access(token, world.clock()):
        raise Refusal(
            google_error(
                401,
                INVALID_CREDENTIALS,
                details=[error_info("ACCESS_TOKEN_EXPIRED", "googleapis.com", {"service": service})],
            )
        )
