"""What each client must be told to use a gateway: lines to paste into a POSIX shell.

The settings were found by running the real programs; a comment says which one is surprising.
"""

from __future__ import annotations

from dataclasses import dataclass

OPENCODE = (
    '{"provider":{"gemini-cli":{"npm":"@ai-sdk/google","options":{"baseURL":"%s/v1beta",'
    '"apiKey":"{env:GEMINI_API_KEY}"},"models":{"gemini-2.5-pro":{},"gemini-2.5-flash":{}}}}}'
)
GEMINI_CLI = '{"security":{"auth":{"selectedType":"gemini-api-key"}}}'
HELLO = '{"contents":[{"parts":[{"text":"hello"}]}]}'


@dataclass(frozen=True, slots=True)
class Recipe:
    """One client: what to set, and a command to try."""

    client: str
    lines: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([f"# {self.client}", *self.lines])


def recipes(base_url: str, key: str) -> tuple[Recipe, ...]:
    """Every client we know how to point at a gateway. `key` is how a shell gets the key inside quotes."""
    # A proxy set in the environment would be asked for loopback addresses too.
    exports = (
        f'export GEMINI_API_KEY="{key}"',
        f"export GOOGLE_GEMINI_BASE_URL={base_url}",
        "export NO_PROXY=127.0.0.1,localhost",
    )
    return (
        Recipe(
            "google-genai (Python and JavaScript)",
            (
                *exports,
                "python -c 'from google import genai; c = genai.Client(); print(c.models.generate_content("
                'model="gemini-2.5-flash", contents="hello").text)\'',
            ),
        ),
        Recipe(
            "OpenCode",
            (
                *exports,
                f"export OPENCODE_CONFIG_CONTENT='{OPENCODE % base_url}'",
                "opencode run -m gemini-cli/gemini-2.5-flash hello </dev/null",
            ),
        ),
        Recipe(
            "Gemini CLI",
            (
                *exports,
                # Without selectedType it takes a base URL for a gateway of its own kind and refuses to start.
                'export GEMINI_CLI_HOME="$(mktemp -d)" GEMINI_CLI_TRUST_WORKSPACE=true',
                f"mkdir \"$GEMINI_CLI_HOME/.gemini\" && printf '%s' '{GEMINI_CLI}' "
                '> "$GEMINI_CLI_HOME/.gemini/settings.json"',
                "gemini -m gemini-2.5-flash -p hello </dev/null",
            ),
        ),
        Recipe(
            "anything else: the Gemini API at this address",
            (
                f'curl -s -H "x-goog-api-key: {key}" -H "content-type: application/json" \\',
                f"  -d '{HELLO}' {base_url}/v1beta/models/gemini-2.5-flash:generateContent",
            ),
        ),
    )
