"""What OPENCODE_GEMINI_DEBUG=1 shows: every request and response, with its secrets and long data left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from groundwire.secret import Secret

HIDDEN = "[hidden]"
SHOWN_CHARACTERS = 4000

_SECRET_HEADERS = frozenset(
    {"authorization", "x-goog-api-key", "x-api-key", "cookie", "set-cookie", "proxy-authorization", "api-key"}
)
_SECRETS = re.compile(
    r"""ya29\.[\w.-]+            # Google access tokens
      | 1//[\w-]+                # Google refresh tokens
      | AIza[\w-]{10,}           # Google API keys
      | sk-[\w-]{8,}             # keys of others
      | eyJ[\w-]+\.[\w-]+\.[\w-]*  # JSON web tokens
    """,
    re.VERBOSE,
)
_SECRET_PARAMETERS = re.compile(r"((?:^|[?&])(?:key|access_token|token)=)[^&\s]*")
_LONG_DATA = re.compile(r"[A-Za-z0-9+/_=-]{200,}")


class DebugLog:
    """Writes a few lines for each thing that passes. `known` are secrets to hide wherever they stand."""

    def __init__(self, write: Callable[[str], object], known: Iterable[Secret] = ()) -> None:
        self._write = write
        self._known = [secret.reveal() for secret in known if secret]

    def request(self, method: str, target: str, headers: Iterable[tuple[str, str]], body: bytes) -> None:
        """A request from a client."""
        self._show(f"> {method} {target}", headers, body)

    def response(self, status: int, headers: Iterable[tuple[str, str]], body: bytes) -> None:
        """A whole answer to a client."""
        self._show(f"< {status}", headers, body)

    def piece(self, data: bytes) -> None:
        """A piece of a streamed answer."""
        self._write("\n".join(f"< {line}" for line in self._text(data).split("\n") if line.strip()) + "\n")

    def note(self, said: str) -> None:
        """Something that happened to an answer."""
        self._write(f"< {self.redacted(said)}\n")

    def redacted(self, text: str) -> str:
        """The text without anything that opens a door."""
        for secret in self._known:
            text = text.replace(secret, HIDDEN)
        return _SECRETS.sub(HIDDEN, _SECRET_PARAMETERS.sub(rf"\1{HIDDEN}", text))

    def _show(self, first: str, headers: Iterable[tuple[str, str]], body: bytes) -> None:
        mark = first[0]
        lines = [self.redacted(first)]
        for name, value in headers:
            shown = HIDDEN if name.lower() in _SECRET_HEADERS else self.redacted(value)
            lines.append(f"{mark} {name}: {shown}")
        if body:
            lines += [f"{mark} {line}" for line in self._text(body).split("\n")]
        self._write("\n".join(lines) + "\n")

    def _text(self, data: bytes) -> str:
        text = _LONG_DATA.sub(
            lambda found: f"{found[0][:16]}…({len(found[0])} characters)", data.decode("utf-8", "replace")
        )
        text = self.redacted(text)
        left = len(text) - SHOWN_CHARACTERS
        return f"{text[:SHOWN_CHARACTERS]}… ({left} more characters)" if left > 0 else text
