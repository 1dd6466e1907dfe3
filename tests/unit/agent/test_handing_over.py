"""A history for another model: what was said and done stays, thoughts and signatures do not."""

from __future__ import annotations

from typing import Any

from groundwire.agent.handing_over import for_another_model


def test_thoughts_and_signatures_are_left_out() -> None:
    call = {"name": "glob", "args": {"pattern": "*"}, "id": "1"}
    answer = {"functionResponse": {"name": "glob", "id": "1", "response": {"output": ""}}}
    history: list[dict[str, Any]] = [
        {"role": "user", "parts": [{"text": "look"}]},
        {"role": "model", "parts": [{"text": "hm", "thought": True}]},
        {
            "role": "model",
            "parts": [
                {"text": "hm", "thought": True, "thoughtSignature": "a"},
                {"text": "Looking.", "thoughtSignature": "b"},
                {"functionCall": call, "thoughtSignature": "c"},
                {"thoughtSignature": "d"},
            ],
        },
        {"role": "user", "parts": [answer]},
    ]
    assert for_another_model(history) == [
        {"role": "user", "parts": [{"text": "look"}]},
        {"role": "model", "parts": [{"text": "Looking."}, {"functionCall": call}]},
        {"role": "user", "parts": [answer]},
    ]
