"""docs/emulator.md says what the code does: its script can be played, its refusals are true."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from groundwire.emulator import Emulator, load_script
from groundwire.emulator.clients import clients
from groundwire.testing import AsgiTransport
from groundwire.transport.base import Request

HELLO = {"role": "user", "parts": [{"text": "hello"}]}
BOTH_KINDS = [{"googleSearch": {}}, {"functionDeclarations": [{"name": "f", "description": "d"}]}]
RESPONSE = {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]}
REFUSED: list[tuple[str, str, dict[str, object]]] = [
    ("gemini-2.5-flash", "key", {"contents": [HELLO], "tools": BOTH_KINDS}),
    ("gemini-2.5-flash", "key", {"contents": [{**HELLO, "role": "assistant"}]}),
    ("gemini-2.5-flash", "key", {"contents": [HELLO], "toolz": []}),
    ("gemini-2.5-flash", "key", {"contents": [RESPONSE]}),
    ("gemini-none", "key", {"contents": [HELLO]}),
    ("gemini-2.5-flash", "", {"contents": [HELLO]}),
]
"""Model, key and body of each request in the table of refusals, in its order."""

PAGE = (Path(__file__).parents[2] / "docs/emulator.md").read_text(encoding="utf-8")


def examples(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_script_example_can_be_loaded(tmp_path: Path) -> None:
    [script] = examples("toml")
    file = tmp_path / "script.toml"
    file.write_text(script, encoding="utf-8")
    assert [call.name for step in load_script(file).step for call in step.call] == [
        "google_web_search",
        "write_file",
    ]


def test_the_clients_it_lists_are_those_it_has_recipes_for() -> None:
    section = PAGE.partition("| client |")[2].partition("## What is served")[0]
    listed = re.findall(r"^\| ([^|`-][^|`]*?) \|", section, re.MULTILINE)
    assert listed == [client.name for client in clients(Emulator().world)]


async def test_what_it_says_is_refused_is_refused_in_these_words() -> None:
    section = PAGE.partition("## What is refused")[2].partition("\n## ")[0]
    promised = re.findall(r"^\| .* \| (\d+) `(.+)` \|$", section, re.MULTILINE)
    assert len(promised) == len(REFUSED)
    emulator = Emulator()
    transport = AsgiTransport(emulator.app)
    for (status, words), (model, key, body) in zip(promised, REFUSED, strict=True):
        address = f"{emulator.base_url}/v1beta/models/{model}:generateContent"
        headers = {"x-goog-api-key": key} if key else {}
        response = await transport.send(Request("POST", address, headers, msgspec.json.encode(body)))
        message = msgspec.json.decode(await response.read())["error"]["message"]
        assert (response.status, message.startswith(words.removesuffix("..."))) == (int(status), True), (
            message
        )
