"""The APIs an emulator serves, most specific prefix first; the last one answers for every other path."""

from __future__ import annotations

from groundwire.emulator.google.code_assist import CODE_ASSIST
from groundwire.emulator.google.gemini import GEMINI
from groundwire.emulator.google.metadata_server import METADATA_SERVER
from groundwire.emulator.google.oauth import GOOGLE_OAUTH
from groundwire.emulator.google.redirects import REDIRECTS
from groundwire.emulator.google.vertex import VERTEX
from groundwire.emulator.openai.codex import CODEX
from groundwire.emulator.openai.oauth import OPENAI_OAUTH
from groundwire.emulator.openai.openrouter import OPENROUTER
from groundwire.emulator.routing import Api, Problem, Route
from groundwire.emulator.wire import Call, Reply, json_reply
from groundwire.emulator.world import World


def _nobody(problem: Problem) -> Reply:
    return json_reply(
        {"error": f"{problem.method} {problem.path} belongs to no API that is emulated here."}, problem.status
    )


def _index(call: Call, world: World) -> Reply:
    """For a person who opens the address in a browser."""
    lines = [
        "This is an emulator: Gemini, Code Assist, Vertex AI, Codex, OpenRouter and their sign-ins, offline.",
        "",
        *(f"{api.name:<14} {'  '.join(api.prefixes)}" for api in APIS if api is not ELSEWHERE),
        "",
        "One request can play a scenario: header x-emulator-scenario, or [[scenario:NAME]] in the prompt,",
        "or /~NAME at the front of the path. All names: groundwire emulator --list-scenarios",
        "",
    ]
    return Reply(200, (("content-type", "text/plain; charset=UTF-8"),), "\n".join(lines).encode())


ELSEWHERE = Api("elsewhere", ("/",), (Route("GET", "/", _index),), _nobody)

APIS = (
    CODEX,
    OPENROUTER,
    OPENAI_OAUTH,
    REDIRECTS,
    CODE_ASSIST,
    VERTEX,
    GEMINI,
    GOOGLE_OAUTH,
    METADATA_SERVER,
    ELSEWHERE,
)
