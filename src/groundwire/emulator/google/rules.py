"""What a Gemini server refuses after the fields are read: roles, turns, tools, schemas, signatures.

Every message is the real server's; the public report it was taken from is named beside it. Where no
report is known, the comment says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from groundwire.emulator.google.errors import Refusal, field_violations, google_error
from groundwire.emulator.google.proto_json import Messages, Reading, Violation
from groundwire.emulator.google.request import SEARCH_TOOLS
from groundwire.emulator.google.response import is_our_signature
from groundwire.emulator.google.schema_rules import schema_violations

FUNCTION_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}")

# google-gemini/gemini-cli issues 6704 and 16415, home-assistant/core 122265
NAME_RULE = (
    "Invalid function name. Must start with a letter or an underscore. Must be alphameric "
    "(a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64."
)
COUNT_RULE = (
    "Please ensure that the number of function response parts is equal to the number of function call "
    "parts of the function call turn."
)
AFTER_CALL_RULE = "Please ensure that function response turn comes immediately after a function call turn."
BEFORE_CALL_RULE = (
    "Please ensure that function call turn comes immediately after a user turn "
    "or after a function response turn."
)
MIXED_TOOLS_RULE = "Multiple tools are supported only when they are all search tools."
# langgenius/dify issue 29187, lbjlaq/Antigravity-Manager issue 733
SIGNATURE_RULE = (
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work "
    "correctly, and missing thought_signature may lead to degraded model performance. Additional data, "
    "function call `default_api:{name}` , position {position}. Please refer to "
    "https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
)

Listing = Callable[[list[Violation]], str]


def gemini_listing(violations: list[Violation]) -> str:
    """How the Gemini API lists violations."""
    return "".join(f"* GenerateContentRequest.{v.path}: {v.text}\n" for v in violations)


def proto_listing(violations: list[Violation]) -> str:
    """How Vertex AI and Code Assist list them (google-gemini/gemini-cli issue 7878)."""
    lines = "".join(f"\n  * {v.path}: [FIELD_INVALID] {v.text}" for v in violations)
    return f"The GenerateContentRequest proto is invalid:{lines}"


@dataclass(frozen=True, slots=True)
class Rulebook:
    """The fields and roles an API knows and the form in which it lists violations."""

    messages: Messages
    listing: Listing = gemini_listing
    roles: tuple[str, ...] = ("user", "model", "function", "")

    def read(self, value: Any, message: str) -> dict[str, Any]:
        """The request with canonical field names; Refusal when it has unknown names or wrong types."""
        reading = Reading(self.messages)
        request: dict[str, Any] = reading.read(value if value is not None else {}, message)
        if reading.violations:
            raise Refusal(
                google_error(
                    400,
                    "\n".join(violation.text for violation in reading.violations),
                    details=[field_violations(reading.violations)],
                )
            )
        return request

    def judge(self, request: Mapping[str, Any], model: str) -> None:
        """Refusal when the request is one that the real server refuses."""
        violations = [*_content_violations(request), *_tool_violations(request)]
        if violations:
            raise Refusal(google_error(400, self.listing(violations)))
        message = self._role_complaint(request) or _mixed_tools(request) or _turns(request)
        if not message and is_gemini_3(model):
            message = _signatures(request)
        if message:
            raise Refusal(google_error(400, message))

    def _role_complaint(self, request: Mapping[str, Any]) -> str:
        wrong = any(content.get("role", "") not in self.roles for content in request["contents"])
        return "Please use a valid role: user, model." if wrong else ""


def is_gemini_3(model: str) -> bool:
    """Whether the model is of the generation that insists on thought signatures."""
    found = re.match(r"gemini-(\d+)", model)
    return found is not None and int(found.group(1)) >= 3


def _content_violations(request: Mapping[str, Any]) -> Iterator[Violation]:
    contents = request.get("contents") or []
    if not contents:
        yield Violation("contents", "contents is not specified")
    for number, content in enumerate(contents):
        parts = content.get("parts") or []
        if not parts:
            yield Violation(f"contents[{number}].parts", "contents.parts must not be empty.")
        for place, part in enumerate(parts):
            if not _has_data(part):
                yield Violation(
                    f"contents[{number}].parts[{place}].data",
                    "required oneof field 'data' must have one initialized field",
                )


def _has_data(part: Mapping[str, Any]) -> bool:
    """A part must hold one kind of data; a lone signature stands for an empty text."""
    return bool(part.keys() - {"thought", "videoMetadata", "mediaResolution", "partMetadata"})


def _tool_violations(request: Mapping[str, Any]) -> Iterator[Violation]:
    for tool_number, tool in enumerate(request.get("tools") or []):
        for number, declaration in enumerate(tool.get("functionDeclarations") or []):
            path = f"tools[{tool_number}].function_declarations[{number}]"
            if not FUNCTION_NAME.fullmatch(declaration.get("name", "")):
                yield Violation(f"{path}.name", NAME_RULE)
            if "parameters" in declaration:
                yield from schema_violations(declaration["parameters"], f"{path}.parameters")
            if "parameters" in declaration and "parametersJsonSchema" in declaration:
                # The reference calls the two mutually exclusive; the server's wording is not known to us.
                yield Violation(path, "only one of parameters and parameters_json_schema can be set")


def _mixed_tools(request: Mapping[str, Any]) -> str:
    tools = request.get("tools") or []
    searches = any(name in tool for tool in tools for name in SEARCH_TOOLS)
    names = [one.get("name", "") for tool in tools for one in tool.get("functionDeclarations") or []]
    if searches and names:
        return MIXED_TOOLS_RULE
    twice = next((name for name in names if names.count(name) > 1), None)
    return f"Duplicate function declaration found: {twice}" if twice else ""


@dataclass(frozen=True, slots=True)
class _Entry:
    """Neighbouring contents of one role, taken together: streaming clients keep a content per chunk."""

    position: int
    from_model: bool
    parts: list[Mapping[str, Any]]

    def count(self, kind: str) -> int:
        return sum(kind in part for part in self.parts)


def _entries(contents: list[Mapping[str, Any]]) -> list[_Entry]:
    entries: list[_Entry] = []
    for number, content in enumerate(contents):
        from_model = content.get("role") == "model"
        if entries and entries[-1].from_model == from_model:
            entries[-1].parts.extend(content["parts"])
        else:
            entries.append(_Entry(number + 1, from_model, list(content["parts"])))
    return entries


def _turns(request: Mapping[str, Any]) -> str:
    """Calls and responses must pair up."""
    pending = 0
    previous: _Entry | None = None
    for entry in _entries(request["contents"]):
        calls, responses = entry.count("functionCall"), entry.count("functionResponse")
        if responses and not pending:
            return AFTER_CALL_RULE
        if calls and previous is None:
            return BEFORE_CALL_RULE
        if pending and responses != pending:
            return COUNT_RULE
        pending, previous = calls, entry
    return ""


def _signatures(request: Mapping[str, Any]) -> str:
    """In the current turn, the first call of each model entry must carry its signature back."""
    entries = _entries(request["contents"])
    for entry in entries[_turn_start(entries) :]:
        call = next((part for part in entry.parts if "functionCall" in part), None)
        if call is None:
            continue
        given = call.get("thoughtSignature")
        if not given:
            name = call["functionCall"].get("name", "")
            return SIGNATURE_RULE.format(name=name, position=entry.position)
        if not is_our_signature(given):
            return "Corrupted thought signature."
    return ""


def _turn_start(entries: list[_Entry]) -> int:
    """Where the newest user text stands: what is older is not checked."""
    for number in range(len(entries) - 1, -1, -1):
        if not entries[number].from_model and entries[number].count("text"):
            return number
    return 0
