"""Which OAuth client a Google sign-in uses: the one it was made with, the configured one, or Gemini CLI's.

1. the client that our own store keeps with the sign-in: a sign-in can be renewed only with its own
2. `google.client_secret` with `google.client_id`, whose default is Gemini CLI's public id
3. with `google.use_gemini_cli_client`: what an installed Gemini CLI carries
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from groundwire.config import Config
from groundwire.credentials.gemini_cli_client import gemini_cli_client
from groundwire.credentials.google_oauth import GEMINI_CLI_CLIENT_ID, Client
from groundwire.credentials.records import OAuthTokens
from groundwire.errors import MissingGoogleClient


def configured_client(config: Config, env: Mapping[str, str], *, use_gemini_cli: bool = False) -> Client:
    """The client for a new sign-in (steps 2 and 3), or MissingGoogleClient."""
    settings = config.google
    if use_gemini_cli or (settings.client_secret is None and settings.use_gemini_cli_client):
        found = gemini_cli_client(env, config.paths.home)
        if found is None:
            raise MissingGoogleClient(
                "No Gemini CLI was found on this machine, or it carries no OAuth client.",
                hint="Install it with: npm install -g @google/gemini-cli. Or set GROUNDWIRE_GOOGLE_CLIENT_ID "
                "and GROUNDWIRE_GOOGLE_CLIENT_SECRET to an OAuth client of your own.",
            )
        return found
    if settings.client_secret is None:
        raise MissingGoogleClient("No secret of an OAuth client is configured, and groundwire ships none.")
    where = config.origins.get("google.client_secret", "configuration")
    return Client(settings.client_id or GEMINI_CLI_CLIENT_ID, settings.client_secret, where)


def client_for(config: Config, env: Mapping[str, str]) -> Callable[[OAuthTokens], Client]:
    """The client with which a stored sign-in is renewed (steps 1 to 3)."""

    def choose(tokens: OAuthTokens) -> Client:
        if tokens.client_id is not None and tokens.client_secret is not None:
            return Client(tokens.client_id, tokens.client_secret, "the store")
        return configured_client(config, env)

    return choose
