"""The environment a command of a model may see: that of this process without what looks like a secret.

A variable is left out for its name (`GEMINI_API_KEY`, `NPM_TOKEN`, `SSH_AUTH_SOCK`: a way to use keys is as
good as a key) or for its value (a private key, a token of a known shape, an address with a password in it).
Leaving out too much costs a command some comfort; leaving in too much costs a secret.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_NAMES = re.compile(
    r"KEY|TOKEN|SECRET|PASSW|PASSPHRASE|(?:^|_)PASS(?:$|_)|(?:^|_)PAT(?:$|_)|CREDENTIAL|CREDS|AUTH|PRIVATE|COOKIE"
    r"|SESSION_BUS|WEBHOOK|DATABASE_URL|CONNECTION_STRING|(?:^|_)DSN(?:$|_)|ADC(?:$|_)",
    re.IGNORECASE,
)
_VALUES = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----"
    r"|[a-z][a-z0-9+.-]*://[^/\s:@]*:[^/\s@]+@"  # a password in an address
    r"|\b(?:ghp|gho|ghu|ghs|ghr|github_pat)_\w{20}"
    r"|\bAIza[\w-]{30}"
    r"|\bya29\.[\w-]{20}"
    r"|\bAKIA[A-Z0-9]{16}"
    r"|\bsk-[\w-]{16}"
    r"|\b[sr]k_(?:live|test)_\w{16}"
    r"|\bxox[abprs]-[\w-]{10}"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}"  # a JSON Web Token
)
_QUIET = {"PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0", "TERM": "dumb", "GROUNDWIRE": "1"}


def without_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that are safe to hand on; programs are told that nobody sits at a terminal."""
    safe = {
        name: value
        for name, value in environment.items()
        if not _NAMES.search(name) and not _VALUES.search(value)
    }
    return {**safe, **_QUIET}
