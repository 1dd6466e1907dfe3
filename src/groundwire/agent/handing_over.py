"""A history for another model than the one that made it.

Thoughts and their signatures are the property of the model that thought them, and another may refuse them;
what was said and done stays.
"""

from __future__ import annotations

from collections.abc import Iterable

from groundwire.agent.reply import Content


def for_another_model(history: Iterable[Content]) -> list[Content]:
    """The history without thoughts and signatures."""
    handed = []
    for content in history:
        parts = [
            {key: value for key, value in part.items() if key != "thoughtSignature"}
            for part in content["parts"]
            if not part.get("thought")
        ]
        if any(parts):
            handed.append({**content, "parts": [part for part in parts if part]})
    return handed
