"""The faults an emulator can play, gathered from one module per family."""

from __future__ import annotations

from groundwire.emulator.faults.codex import CODEX_FAULTS
from groundwire.emulator.faults.dangerous import DANGEROUS_FAULTS
from groundwire.emulator.faults.google import GOOGLE_FAULTS
from groundwire.emulator.faults.openai_signin import OPENAI_SIGNIN_SCENARIOS
from groundwire.emulator.faults.openrouter import OPENROUTER_FAULTS
from groundwire.emulator.faults.sse import SSE_FAULTS
from groundwire.emulator.faults.turns import TURN_FAULTS
from groundwire.emulator.faults.wire import WIRE_FAULTS
from groundwire.emulator.google.code_assist_setup import SETUP_SCENARIOS
from groundwire.emulator.openai.scenarios import PHRASING_SCENARIOS, SHAPE_SCENARIOS

FAULTS = (
    *WIRE_FAULTS,
    *DANGEROUS_FAULTS,
    *TURN_FAULTS,
    *SSE_FAULTS,
    *GOOGLE_FAULTS,
    *SETUP_SCENARIOS,
    *PHRASING_SCENARIOS,
    *SHAPE_SCENARIOS,
    *CODEX_FAULTS,
    *OPENAI_SIGNIN_SCENARIOS,
    *OPENROUTER_FAULTS,
)
