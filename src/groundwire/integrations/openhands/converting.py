"""Between the OpenHands SDK and our tools: arguments of an action, pieces of a result, resources of a call.

An observation of OpenHands carries texts and images. What is neither (PDF, audio, video) is named in a text.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from groundwire.characters import is_sayable, sendable
from groundwire.tools.base import ToolResult

ONE_FILE = {"replace": "file_path", "write_file": "file_path", "read_file": "file_path"}
"""Tools that touch one file, and the parameter that names it."""
OTHER_NAMES = ("file_path", "path", "absolute_path")
"""Every name the file of `read_file` has in some dialect."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text for the model."""

    text: str


@dataclass(frozen=True, slots=True)
class Image:
    """An image for the model, as a data URL."""

    url: str


def given_arguments(values: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as the model sent them; null is another word for what it left out.

    ValueError, which the SDK tells the model, for what it could not store: half characters are in no UTF-8.
    """
    given = {name: value for name, value in values.items() if value is not None}
    try:
        json.dumps(given, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("The arguments hold half a character (a surrogate that stands alone).") from None
    return given


def pieces(result: ToolResult) -> list[Text | Image]:
    """What the model gets to see of a result."""
    items = result.llm_content if isinstance(result.llm_content, list) else [result.llm_content]
    found = [piece for item in items for piece in _piece(item)]
    return found or [Text("")]


def diff_of(result: ToolResult) -> str:
    """The change a call made, as a unified diff; empty when it made none."""
    display = result.return_display
    return sendable(str(display.get("fileDiff", ""))) if isinstance(display, Mapping) else ""


def resource(name: str, arguments: Mapping[str, Any], root: str) -> str | None:
    """The key of the file a call touches, as OpenHands' own tools name it; None for calls that touch many.

    Writes are atomic, so a call that reads many files never sees half of one and needs to wait for nobody.
    """
    if name not in ONE_FILE:
        return None
    path = next((arguments[other] for other in OTHER_NAMES if isinstance(arguments.get(other), str)), None)
    if not path or not is_sayable(path):
        return None
    return f"file:{os.path.realpath(os.path.join(root, path.removeprefix('@')))}"


def _piece(item: object) -> Iterator[Text | Image]:
    if not isinstance(item, Mapping):
        yield Text(sendable(str(item)))
        return
    inline = item.get("inlineData")
    if not isinstance(inline, Mapping):
        yield Text(sendable(str(item.get("text", ""))))
        return
    kind, data = str(inline.get("mimeType", "")), str(inline.get("data", ""))
    if kind.startswith("image/"):
        yield Image(f"data:{kind};base64,{data}")
    else:
        yield Text(f"(content of the type {kind}, which cannot be shown here: {len(data) * 3 // 4} bytes)")
