"""What the browser shows when a sign-in comes back to this machine: a small page without scripts. Pure."""

from __future__ import annotations

from html import escape

HEADERS = (
    ("content-type", "text/html; charset=utf-8"),
    ("cache-control", "no-store"),
    ("referrer-policy", "no-referrer"),  # the address holds a code
    ("x-content-type-options", "nosniff"),
    ("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
)
"""The headers of every page."""

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · groundwire</title>
<style>
  :root {{ color-scheme: light dark; --ink: #1d2430; --soft: #5d6675; --paper: #f5f6f8; --card: #ffffff;
           --line: #dfe3e9; --mark: {mark}; }}
  @media (prefers-color-scheme: dark) {{
    :root {{ --ink: #e8ebf0; --soft: #9aa4b2; --paper: #14181f; --card: #1c222b; --line: #2d3541; }}
  }}
  body {{ margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--paper);
          color: var(--ink); font: 17px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }}
  main {{ box-sizing: border-box; width: min(30rem, calc(100vw - 2rem)); padding: 2.5rem 2.25rem;
          background: var(--card); border: 1px solid var(--line); border-radius: 14px; }}
  .sign {{ width: 3rem; height: 3rem; border-radius: 50%; background: var(--mark); color: #fff;
           display: grid; place-items: center; font-size: 1.5rem; font-weight: 700; }}
  h1 {{ margin: 1.1rem 0 .4rem; font-size: 1.45rem; line-height: 1.25; }}
  p {{ margin: .4rem 0; overflow-wrap: anywhere; }}
  .soft {{ color: var(--soft); font-size: .95rem; }}
</style>
</head>
<body>
<main>
<div class="sign" aria-hidden="true">{sign}</div>
<h1>{title}</h1>
{paragraphs}
</main>
</body>
</html>
"""
_GOOD, _BAD = "#1a7f4b", "#b3261e"


def signed_in(company: str, person: str | None) -> str:
    """It worked, and the tokens are stored."""
    who = f"groundwire can now use your {company} sign-in" + (f" ({person})." if person else ".")
    return _page("You are signed in", _GOOD, "✓", who, "You can close this page and go back to the terminal.")


def not_signed_in(reason: str) -> str:
    """It did not work; the terminal says the same."""
    return _page("You are not signed in", _BAD, "!", reason, "Go back to the terminal to try again.")


def not_ours() -> str:
    """A request that has nothing to do with the sign-in that is waiting; it goes on waiting."""
    return _page(
        "Nothing to see here",
        _BAD,
        "?",
        "This address only answers the sign-in that is waiting in a terminal.",
        "If you have just signed in, use the newest address that the terminal shows.",
    )


def _page(title: str, mark: str, sign: str, first: str, second: str) -> str:
    paragraphs = f'<p>{escape(first)}</p>\n<p class="soft">{escape(second)}</p>'
    return _PAGE.format(title=escape(title), mark=mark, sign=sign, paragraphs=paragraphs)
