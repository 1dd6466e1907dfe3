"""The APIs an emulator serves, most specific prefix first; the last one answers for every other path."""

from __future__ import annotations

from groundwire.emulator.google.code_assist import CODE_ASSIST
from groundwire.emulator.google.gemini import GEMINI
from groundwire.emulator.google.oauth import GOOGLE_OAUTH
from groundwire.emulator.google.redirects import REDIRECTS
from groundwire.emulator.google.vertex import VERTEX
from groundwire.emulator.openai.codex import CODEX
from groundwire.emulator.openai.oauth import OPENAI_OAUTH
from groundwire.emulator.openai.openrouter import OPENROUTER
from groundwire.emulator.routing import Api, Problem
from groundwire.emulator.wire import Reply, json_reply


def _nobody(problem: Problem) -> Reply:
    return json_reply(
        {"error": f"{problem.method} {problem.path} belongs to no API that is emulated here."}, problem.status
    )


ELSEWHERE = Api("elsewhere", ("/",), (), _nobody)

APIS = (
    CODEX,
    OPENROUTER,
    OPENAI_OAUTH,
    REDIRECTS,
    CODE_ASSIST,
    VERTEX,
    GEMINI,
    GOOGLE_OAUTH,
    ELSEWHERE,
)
