"""Citations as Gemini CLI's own web search inserts them, and as we do, on the same responses of Gemini."""

from __future__ import annotations

from typing import Any

import msgspec

from conformance.trial import Trial
from groundwire.citations import result
from groundwire.providers.gemini import whole_answer

CLIENT = "gemini_citations.mjs"
CHUNKS = [{"web": {"title": "Weather", "uri": "https://weather.example.org/"}}]


def response(text: str, *supports: tuple[int, list[int]], chunks: int = 1) -> dict[str, Any]:
    """What Gemini answers: a text, and supports as (end in bytes, chunks)."""
    grounding = {
        "groundingChunks": CHUNKS * chunks,
        "groundingSupports": [
            {"segment": {"startIndex": 0, "endIndex": end}, "groundingChunkIndices": indices}
            for end, indices in supports
        ],
    }
    content = {"role": "model", "parts": [{"text": text}]}
    return {"candidates": [{"content": content, "finishReason": "STOP", "groundingMetadata": grounding}]}


SUNNY = "Sunny in 北京 today. Rain tomorrow 🌧."
ORDINARY = response(
    SUNNY, (len("Sunny in 北京 today.".encode()), [0]), (len(SUNNY.encode()), [0, 1]), chunks=2
)
WITHOUT_SOURCE = response("It is sunny. It rains.", (12, [0]), (22, [7]))
INSIDE = response("北京 is sunny.", (len("北".encode()) + 1, [0]))


def ours(response: dict[str, Any]) -> str:
    """What we tell a model of such a response."""
    return result("q", whole_answer(msgspec.json.encode(response))).llm_content


async def check_citations(trial: Trial) -> None:
    """The same marks where the response is sound; better ones where it is not."""
    file = trial.new_folder("responses") / "responses.json"
    file.write_bytes(msgspec.json.encode([ORDINARY, WITHOUT_SOURCE, INSIDE]))
    seen = await trial.sighting(CLIENT, {"RESPONSES": str(file)})
    ordinary, without_source, inside = seen["texts"]
    trial.check(
        "Its web search and ours tell the model the same of an ordinary grounded answer.",
        ordinary == ours(ORDINARY) and "[1][2]" in ordinary,
        f"{ordinary!r} {ours(ORDINARY)!r}",
    )
    trial.check(
        "A mark without a source behind it is kept by its search and left out by ours.",
        "[8]" in without_source and "[8]" not in ours(WITHOUT_SOURCE) and "[1]" in ours(WITHOUT_SOURCE),
        f"{without_source!r} {ours(WITHOUT_SOURCE)!r}",
    )
    trial.check(
        "A mark inside a character damages it in its search; ours moves to the character's start.",
        "\ufffd" in inside and "北[1]京 is sunny." in ours(INSIDE),
        f"{inside!r} {ours(INSIDE)!r}",
    )
