"""The transcript of a session: one event of the session on each line, as JSON, the oldest first.

    session    the first line: version, id, folder, model
    run        a task was given; without one, an earlier task is gone on with
    reply      the model's reply, its parts as they came (thought signatures included)
    told       why a reply could not be used, as the model was told
    call       a call is about to run
    write      a file is about to be written: its path, the hashes before and after
    result     what a call gave
    history    the history was replaced by a shorter one
    outcome    how the run ended
    undone     the changes of a run were taken back

Lines are only ever added. What a process that died left half written at the end is no event; anything
unreadable before that makes the transcript unreadable. Here is the form alone: `session.py` writes it,
`session_past.py` says what it means.
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from groundwire.agent.functions import Given
from groundwire.agent.outcome import Outcome, Searched
from groundwire.agent.reply import Call, Content, Part, Problem, Reply, Usage, calls_in, text_in
from groundwire.agent.turn import Made
from groundwire.citations import Source
from groundwire.errors import SessionUnreadable

VERSION = 1


class SessionOpened(msgspec.Struct, frozen=True, tag="session"):
    """The first line."""

    version: int
    id: str
    at: str
    root: str
    model: str
    groundwire: str
    """The version of groundwire that opened it."""


class RunBegan(msgspec.Struct, frozen=True, tag="run", omit_defaults=True):
    """A task was given; without one, the task before is gone on with."""

    at: str
    approve: str
    model: str
    task: str | None = None
    shell: bool = False
    """Whether the model may run commands."""


class Replied(msgspec.Struct, frozen=True, tag="reply", omit_defaults=True):
    """What the model replied. `text` is there only when the parts do not hold it."""

    at: str
    parts: tuple[Part, ...] = ()
    given: int = 0
    made: int = 0
    text: str = ""
    problem: tuple[str, str] | None = None
    """The reason for a person, and what the model is told."""
    blocked: str = ""

    @classmethod
    def of(cls, reply: Reply, at: str) -> Replied:
        """The event for a reply."""
        problem = None if reply.problem is None else (reply.problem.reason, reply.problem.told)
        kept = "" if reply.text == text_in(reply.parts) else reply.text
        usage = reply.usage
        return cls(at, reply.parts, usage.given, usage.made, kept, problem, reply.blocked)

    def reply(self) -> Reply:
        """The reply again."""
        usable = self.problem is None and not self.blocked
        return Reply(
            parts=self.parts,
            text=self.text or text_in(self.parts),
            calls=calls_in(self.parts) if usable else (),
            usage=Usage(self.given, self.made),
            problem=None if self.problem is None else Problem(*self.problem),
            blocked=self.blocked,
        )


class Told(msgspec.Struct, frozen=True, tag="told"):
    """The model was told why its reply could not be used; the words stand in the reply's problem."""

    at: str


class CallBegan(msgspec.Struct, frozen=True, tag="call"):
    """The call with this number is about to run. Its arguments stand in the reply before it."""

    at: str
    number: int
    name: str


class WriteBegan(msgspec.Struct, frozen=True, tag="write", omit_defaults=True):
    """A file is about to be written by the call with this number. Hashes are SHA-256; none is no file."""

    at: str
    number: int
    path: str
    """Below the session's folder, with `/`."""
    before: str | None = None
    after: str | None = None
    mode: int | None = None
    """The permissions of the file before."""
    folders: tuple[str, ...] = ()
    """The folders that did not exist, the outermost first."""
    temporary: str = ""
    """The name of the file beside it in which the new bytes wait."""


class CallGave(msgspec.Struct, frozen=True, tag="result", omit_defaults=True):
    """What the call with this number gave: the model's response, and what a person is shown."""

    at: str
    number: int
    name: str
    ok: bool
    summary: str
    response: dict[str, Any]
    writes: bool = False
    refused: bool = False
    mistaken: bool = False
    diff: str = ""
    media: tuple[Part, ...] = ()
    query: str | None = None
    sources: tuple[Source, ...] = ()

    @classmethod
    def of(cls, number: int, made: Made, at: str) -> CallGave:
        """The event for a call that was carried out."""
        given, searched = made.given, made.given.searched
        return cls(
            at=at,
            number=number,
            name=made.call.name,
            ok=given.ok,
            summary=given.summary,
            response=given.response,
            writes=made.writes,
            refused=made.refused,
            mistaken=given.mistaken,
            diff=given.diff,
            media=given.media,
            query=searched.query if searched else None,
            sources=searched.sources if searched else (),
        )

    def made(self, call: Call) -> Made:
        """What was carried out, again."""
        given = Given(
            response=self.response,
            summary=self.summary,
            ok=self.ok,
            mistaken=self.mistaken,
            diff=self.diff,
            media=self.media,
            searched=None if self.query is None else Searched(self.query, self.sources),
        )
        return Made(call, given, writes=self.writes, refused=self.refused)


class HistoryReplaced(msgspec.Struct, frozen=True, tag="history", omit_defaults=True):
    """The history is this now; what came before it is only a record. The tokens are what that has cost."""

    at: str
    contents: list[Content]
    given: int = 0
    made: int = 0


class RunEnded(msgspec.Struct, frozen=True, tag="outcome", omit_defaults=True):
    """How the run ended."""

    at: str
    ending: str
    reason: str
    text: str = ""
    turns: int = 0
    given: int = 0
    made: int = 0
    error: str | None = None

    @classmethod
    def of(cls, outcome: Outcome, at: str) -> RunEnded:
        """The event for an outcome."""
        used = outcome.usage
        return cls(
            at,
            outcome.ending.value,
            outcome.reason,
            outcome.text,
            outcome.turns,
            used.given,
            used.made,
            outcome.error,
        )


class Undone(msgspec.Struct, frozen=True, tag="undone", omit_defaults=True):
    """The changes of a run (counted from 0) were taken back: each file, and what became of it."""

    at: str
    run: int
    restored: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


Event = (
    SessionOpened
    | RunBegan
    | Replied
    | Told
    | CallBegan
    | WriteBegan
    | CallGave
    | HistoryReplaced
    | RunEnded
    | Undone
)

_decode_plain = msgspec.json.Decoder(Event).decode
_encode_plain = msgspec.json.Encoder().encode


class _Head(msgspec.Struct):
    """What every version's first line has."""

    type: str
    version: int


def line(event: Event) -> bytes:
    """The event as its line."""
    try:
        return _encode_plain(event) + b"\n"
    except UnicodeEncodeError:  # half a character, in the name of a file that is no UTF-8: msgspec has none
        return json.dumps(msgspec.to_builtins(event)).encode() + b"\n"


def _event(words: bytes) -> Event:
    event: Event
    try:
        event = _decode_plain(words)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        event = msgspec.convert(json.loads(words), type=Event)
    _check_moment(event.at)
    return event


def _check_moment(at: str) -> None:
    """ValueError when it is no moment that can be told apart from others."""
    if datetime.fromisoformat(at).tzinfo is None:
        raise ValueError(f"{at} says no time zone")


def read(path: Path) -> list[Event]:
    """The events of a transcript. SessionUnreadable when it is not one we can read."""
    return events_in(read_bytes(path), path)


def read_bytes(path: Path) -> bytes:
    """The bytes of a transcript. SessionUnreadable when the file cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise SessionUnreadable(f"{path} cannot be read: {error.strerror or error}.") from None


def first(path: Path) -> SessionOpened:
    """The first event alone, for lists. SessionUnreadable when it is not one we can read."""
    try:
        with path.open("rb") as stream:
            return _opened(stream.readline(), path)
    except OSError as error:
        raise SessionUnreadable(f"{path} cannot be read: {error.strerror or error}.") from None


def events_in(data: bytes, path: Path) -> list[Event]:
    """The events in the bytes of the transcript at `path`."""
    lines = data[: whole_length(data)].split(b"\n")[:-1]
    if not lines:
        raise SessionUnreadable(f"{path} is empty.", hint="It can be deleted.")
    events: list[Event] = [_opened(lines[0], path)]
    for number, words in enumerate(lines[1:], start=2):
        try:
            events.append(_event(words))
        except (msgspec.MsgspecError, ValueError) as error:
            raise SessionUnreadable(f"{path}, line {number}, is damaged: {error}.") from None
    return events


def whole_length(data: bytes) -> int:
    """How many bytes of a transcript are whole lines: a crash can leave half a line, or zeros, at the end."""
    end = data.rfind(b"\n") + 1
    while end:
        start = data.rfind(b"\n", 0, end - 1) + 1
        if data[start : start + 1] == b"{" and _is_json(data[start : end - 1]):
            return end
        end = start
    return 0


def _is_json(words: bytes) -> bool:
    try:
        json.loads(words)
    except ValueError:
        return False
    return True


def _opened(words: bytes, path: Path) -> SessionOpened:
    try:
        head = msgspec.convert(json.loads(words), type=_Head)
    except (msgspec.MsgspecError, ValueError):
        raise SessionUnreadable(f"{path} is not a session of groundwire.") from None
    if head.type != "session":
        raise SessionUnreadable(f"{path} is not a session of groundwire.")
    if head.version != VERSION:
        raise SessionUnreadable(
            f"{path} has version {head.version} of the format; this groundwire reads version {VERSION}.",
            hint="Read it with the groundwire that wrote it.",
        )
    try:
        opened = msgspec.convert(json.loads(words), type=SessionOpened)
        _check_moment(opened.at)
    except (msgspec.MsgspecError, ValueError) as error:
        raise SessionUnreadable(f"{path}, line 1, is damaged: {error}.") from None
    return opened
