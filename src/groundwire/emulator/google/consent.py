"""The pages a person sees while signing in to Google: consent, the code to copy, a refusal."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from groundwire.emulator.wire import Reply, html_reply

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{title}</title></head>
<body>
<h1>{title}</h1>
{body}
</body>
</html>
"""


def consent_page(asked: Mapping[str, str]) -> Reply:
    """A page with two buttons, allow and deny."""
    hidden = "\n".join(
        f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">'
        for name, value in asked.items()
    )
    scopes = "".join(f"<li>{escape(scope)}</li>" for scope in asked["scope"].split())
    return _page(
        "Sign in to the emulator",
        f"<p>{escape(asked['client_id'])} wants:</p>\n<ul>{scopes}</ul>\n"
        f'<form method="post">\n{hidden}\n'
        '<button name="decision" value="allow">Allow</button>\n'
        '<button name="decision" value="deny">Deny</button>\n</form>',
    )


def code_page(fields: Mapping[str, str]) -> Reply:
    """The page that shows the code to be copied into a terminal."""
    if "code" not in fields:
        return refusal_page(fields.get("error", "access_denied"), "The request was denied.")
    code = escape(fields["code"])
    return _page(
        "Copy this code", f'<p>Paste it where you were asked for it:</p>\n<pre id="code">{code}</pre>'
    )


def refusal_page(error: str, reason: str) -> Reply:
    """Google's page for a sign-in request that cannot be served; the client is not told."""
    return _page("Access blocked", f"<p>Error 400: {escape(error)}</p>\n<p>{escape(reason)}</p>", 400)


def _page(title: str, body: str, status: int = 200) -> Reply:
    return html_reply(_PAGE.format(title=escape(title), body=body), status)
