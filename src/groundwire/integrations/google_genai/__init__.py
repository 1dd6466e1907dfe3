"""Google's own Python library, google-genai, with a Google sign-in in place of an API key."""

from groundwire.integrations.google_genai.client import code_assist_client
from groundwire.integrations.google_genai.shared_sign_in import SharedSignIn, sign_in, static_sign_in
from groundwire.integrations.google_genai.transports import (
    async_code_assist_transport,
    code_assist_transport,
)

__all__ = [
    "SharedSignIn",
    "async_code_assist_transport",
    "code_assist_client",
    "code_assist_transport",
    "sign_in",
    "static_sign_in",
]
