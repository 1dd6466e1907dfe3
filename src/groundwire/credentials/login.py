"""Signing in: by a browser that comes back to this machine, or by a code that the person copies.

Whose sign-in it is (`Flow`) and how the person is talked to (`Person`) are parameters; `login_google` and
`login_openai` have the flows, the command line has the person.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol
from urllib.parse import parse_qsl, unquote, urlsplit

from groundwire.credentials.login_callback import CallbackServer
from groundwire.credentials.login_page import not_signed_in, signed_in
from groundwire.credentials.pkce import Attempt
from groundwire.credentials.records import OAuthTokens
from groundwire.errors import GroundwireError, SignInFailed

PATIENCE = 300.0
"""How long a person may take in the browser, in seconds."""

TRIES = 3
"""How often a code may be pasted."""

Keep = Callable[[OAuthTokens], None]
"""Stores a new sign-in; the browser's last page is shown when that is done."""


class Person(Protocol):
    """Whoever signs in."""

    def say(self, text: str) -> None:
        """Show a line."""
        ...

    def ask(self, question: str) -> str:
        """What they type; empty when nobody is there."""
        ...

    def open_browser(self, address: str) -> None:
        """Try to show them a page; it does not matter whether that works."""
        ...


class Flow(Protocol):
    """One company's sign-in."""

    @property
    def company(self) -> str:
        """Its name for people."""
        ...

    @property
    def callback_path(self) -> str:
        """The path of the redirect to this machine."""
        ...

    @property
    def ports(self) -> Sequence[int]:
        """The ports it may redirect to, best first; 0 is any."""
        ...

    def address(self, redirect_uri: str, attempt: Attempt) -> str:
        """The page where a person consents."""
        ...

    async def exchange(self, code: str, redirect_uri: str, attempt: Attempt) -> OAuthTokens:
        """The sign-in for a code; SignInFailed when the code is no good."""
        ...


async def by_browser(
    flow: Flow, person: Person, attempt: Attempt, keep: Keep, *, patience: float = PATIENCE
) -> None:
    """Send the person to the page and wait for the browser to come back."""
    async with CallbackServer(flow.callback_path, attempt.state, flow.ports) as server:
        address = flow.address(server.redirect_uri, attempt)
        person.say("Your browser should open now. If it does not, open this address on this machine:")
        person.say(f"\n{address}\n")
        person.open_browser(address)
        code = await server.code(patience)
        try:
            tokens = await flow.exchange(code, server.redirect_uri, attempt)
            keep(tokens)
        except GroundwireError as error:
            server.show(not_signed_in(error.message))
            raise
        server.show(signed_in(flow.company, tokens.email))


async def by_code(flow: Flow, person: Person, attempt: Attempt, keep: Keep, redirect_uri: str) -> None:
    """Show the address, and let the person paste what the page gives them."""
    person.say("Open this address in any browser, on any machine, and sign in:")
    person.say(f"\n{flow.address(redirect_uri, attempt)}\n")
    if redirect_uri.startswith("http://"):
        person.say("The last page will not load. Copy its whole address from the browser and paste it here.")
    for left in reversed(range(TRIES)):
        text = person.ask("Paste the code here: ").strip()
        if not text:
            raise SignInFailed("No code was given.")
        try:
            return keep(await flow.exchange(pasted_code(text, attempt.state), redirect_uri, attempt))
        except SignInFailed as error:
            if not left:
                raise
            person.say(f"{error.message} Try once more.")
    raise AssertionError("unreachable: the last try returns or raises")


def pasted_code(text: str, state: str) -> str:
    """The code in what a person pasted: the code alone, or an address or query that holds it.

    >>> pasted_code("http://127.0.0.1:8085/oauth2callback?state=s&code=4%2F0abc", "s")
    '4/0abc'
    >>> pasted_code(" 4/0abc ", "s")
    '4/0abc'
    """
    text = text.strip().strip("'\"")
    query = urlsplit(text).query if "://" in text else text.partition("?")[2] or text
    given = dict(parse_qsl(query)) if "=" in query else {}
    if given.get("error"):
        raise SignInFailed("The page answered that the sign-in was refused.")
    if "code" in given:
        if given.get("state", state) != state:
            raise SignInFailed("That is the answer to another sign-in: use the address shown above.")
        return given["code"]
    if "://" in text or not text.isprintable() or " " in text:
        raise SignInFailed("There is no code in that.")
    return unquote(text)


def why_no_browser(env: Mapping[str, str], platform: str) -> str | None:
    """The reason why a browser on this machine is of no use, or None."""
    if any(env.get(name) for name in ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY")):
        return "this is a session over SSH"
    for name in ("OPENCODE_HEADLESS", "NO_BROWSER", "CI"):
        if env.get(name, "").lower() not in ("", "0", "false"):
            return f"{name} is set"
    displays = ("DISPLAY", "WAYLAND_DISPLAY", "MIR_SOCKET", "BROWSER")
    if platform.startswith("linux") and not any(env.get(name) for name in displays):
        return "there is no display"
    return None
