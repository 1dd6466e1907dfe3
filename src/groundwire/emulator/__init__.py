"""The emulator: Gemini, Code Assist, Vertex AI, Google OAuth, Codex and OpenRouter, offline.

An independent restatement of the wire: it imports nothing of groundwire's client code, so a mistake
made on both sides cannot cancel out.
"""

from __future__ import annotations

from groundwire.emulator.script import Script, load_script
from groundwire.emulator.server import Emulator
from groundwire.emulator.wire import Call, Reply
from groundwire.errors import ScriptNotFollowed

__all__ = ["Call", "Emulator", "Reply", "Script", "ScriptNotFollowed", "load_script"]
