"""Credential stores: JSON files that other programs use too, so they are read with care and never damaged.

Reading: bounded; a file that is broken in any way is as good as absent, and a problem says so. Writing:
read again, change one value, keep everything else byte for byte (unknown keys, their order, the indentation),
write a new file of mode 0600 next to the old one, flush it to the disk and rename it over. A symbolic link
stays one: the file it points to is replaced. Whoever writes holds a lock (see `lock`).
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import msgspec

from groundwire.config.files import ConfigProblem, Unreadable, read_text
from groundwire.errors import CredentialError

Changes = Mapping[tuple[str, ...], object]
"""What to set in a store: the path of keys to a value, and the value."""

_BYTE = re.compile(r"\(byte (\d+)\)")
_INDENT = re.compile(r"\A\s*\{\s*\n([ \t]+)\S")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a store holds: an empty document when it is absent or broken, and then a problem."""

    document: Mapping[str, object] = field(repr=False, default_factory=dict)
    problem: ConfigProblem | None = None
    present: bool = False


class Store(Protocol):
    """Anything a sign-in can be kept in."""

    @property
    def path(self) -> Path | None:
        """Its file; None when it is not in one, and then it cannot be written."""
        ...

    @property
    def label(self) -> str:
        """Its name for people: "OpenCode's auth.json"."""
        ...

    @property
    def where(self) -> str:
        """The label and the path."""
        ...

    def read(self) -> Reading:
        """The document, or nothing and a problem."""
        ...

    def prove_writable(self) -> None:
        """Fail now rather than after a single-use token was spent."""
        ...


@dataclass(frozen=True, slots=True)
class FileStore:
    """A store in a file. `label` names it for people: "OpenCode's auth.json"."""

    path: Path
    label: str

    @property
    def where(self) -> str:
        """The label and the path."""
        return f"{self.label} ({self.path})"

    def read(self) -> Reading:
        """The document, or nothing and a problem."""
        try:
            text = read_text(self.path)
            if text is None:
                return Reading()
            return Reading(_parse(text), present=True)
        except Unreadable as trouble:
            return Reading(problem=ConfigProblem(str(self.path), trouble.line, trouble.reason), present=True)

    def put(self, changes: Changes) -> None:
        """Set these values and leave everything else as it is. The caller holds the lock."""
        self._edit(lambda text: with_values(text, changes))

    def remove(self, name: str) -> None:
        """Take one record out and leave everything else as it is. The caller holds the lock."""
        self._edit(lambda text: without(text, name))

    def replace(self, content: str) -> None:
        """Put this text in the place of everything. The caller holds the lock."""
        try:
            _replace_file(self._target(), content.encode("utf-8"))
        except OSError as error:
            raise CredentialError(f"{self.where} cannot be written: {error.strerror or error}.") from None

    def _edit(self, change: Callable[[str], str]) -> None:
        try:
            changed = change(read_text(self._target()) or "{}\n")
        except Unreadable as trouble:
            raise CredentialError(
                f"{self.where} was not changed: {trouble.reason}.", hint="Repair or remove that file first."
            ) from None
        self.replace(changed)

    def prove_writable(self) -> None:
        """Fail now rather than after a single-use token was spent."""
        target = self._target()
        try:
            probe = _beside(target)
            os.close(_create(probe))
            probe.unlink()
        except OSError as error:
            raise CredentialError(
                f"{self.where} cannot be written ({error.strerror or error}), so the sign-in in it "
                "was not renewed: its refresh token works only once and the next one would be lost.",
                hint="Make the file and its folder writable.",
            ) from None

    def _target(self) -> Path:
        """The file itself, where a symbolic link leads."""
        return Path(os.path.realpath(self.path))


@dataclass(frozen=True, slots=True)
class TextStore:
    """A store given as text in an environment variable. It can be read and never be written back."""

    text: str = field(repr=False)
    label: str

    @property
    def path(self) -> None:
        """There is none."""
        return None

    @property
    def where(self) -> str:
        """The label alone: there is no path."""
        return self.label

    def read(self) -> Reading:
        """The document, or nothing and a problem."""
        try:
            return Reading(_parse(self.text), present=True)
        except Unreadable as trouble:
            return Reading(problem=ConfigProblem(self.label, trouble.line, trouble.reason), present=True)

    def prove_writable(self) -> None:
        """Never writable."""
        raise CredentialError(f"{self.where} cannot be written back.")


def with_values(text: str, changes: Changes) -> str:
    """The JSON text with these values set. Every other value keeps its exact spelling."""
    found = _INDENT.match(text)
    step = found.group(1) if found else "" if text.strip() != "{}" else "  "
    tail = text[len(text.rstrip()) :]
    changed = text.strip()
    for path, value in changes.items():
        changed = _set(_members(changed), list(path), value, step, step)
    return changed + tail


def without(text: str, name: str) -> str:
    """The JSON text without one member. Every other value keeps its exact spelling."""
    found = _INDENT.match(text)
    step = found.group(1) if found else ""
    members = _members(text.strip())
    members.pop(name, None)
    written = _written(members, step, step) if members else "{}"
    return written + text[len(text.rstrip()) :]


def _set(members: dict[str, msgspec.Raw], path: list[str], value: object, step: str, indent: str) -> str:
    name, *rest = path
    if rest:
        inner = _members(bytes(members[name]).decode("utf-8")) if name in members else {}
        members[name] = msgspec.Raw(_set(inner, rest, value, step, indent + step).encode("utf-8"))
    else:
        encoded = msgspec.json.encode(value)
        if step:
            encoded = msgspec.json.format(encoded, indent=len(step) if step.isspace() else 2)
            encoded = _reindented(encoded.decode("utf-8"), step, indent).encode("utf-8")
        members[name] = msgspec.Raw(encoded)
    return _written(members, step, indent)


def _reindented(text: str, step: str, indent: str) -> str:
    """A value formatted on its own, moved to where it stands in the file, with the file's indentation."""
    lines = text.split("\n")
    width = len(step)
    moved = [
        indent + step * ((len(line) - len(line.lstrip(" "))) // width) + line.lstrip(" ")
        for line in lines[1:]
    ]
    return "\n".join([lines[0], *moved])


def _members(text: str) -> dict[str, msgspec.Raw]:
    try:
        return msgspec.json.decode(text, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeEncodeError):
        raise Unreadable("not a valid JSON object") from None


def _written(members: Mapping[str, msgspec.Raw], step: str, indent: str) -> str:
    pairs = [
        f"{msgspec.json.encode(name).decode('utf-8')}:{' ' if step else ''}{bytes(raw).decode('utf-8')}"
        for name, raw in members.items()
    ]
    if not step:
        return "{" + ",".join(pairs) + "}"
    outer = indent.removesuffix(step)
    return "{\n" + ",\n".join(indent + pair for pair in pairs) + f"\n{outer}}}"


def _parse(text: str) -> dict[str, object]:
    if not text.strip():
        raise Unreadable("it is empty", 1)
    try:
        document: object = msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        place = _BYTE.search(str(error))
        before = text.encode("utf-8")[: int(place.group(1))] if place else text.rstrip().encode("utf-8")
        reason = "not valid JSON" if place else "not valid JSON: it ends too early"
        raise Unreadable(reason, before.count(b"\n") + 1) from None
    except UnicodeEncodeError:
        raise Unreadable("not valid text") from None
    except RecursionError:
        raise Unreadable("nested too deeply") from None
    if not isinstance(document, dict):
        raise Unreadable("expected an object {…} at the top", 1)
    return document


def _replace_file(target: Path, content: bytes) -> None:
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = _beside(target)
    descriptor = _create(temporary)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            _keep_owner(stream.fileno(), target)
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    _flush_folder(target.parent)


def _beside(target: Path) -> Path:
    return target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")


def _create(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o600)


def _keep_owner(descriptor: int, target: Path) -> None:
    """Under sudo the new file would belong to root and lock its owner out."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return
    with suppress(OSError):
        old = target.stat()
        os.fchown(descriptor, old.st_uid, old.st_gid)


def _flush_folder(folder: Path) -> None:
    """Make the rename itself last through a power cut, where the system can do that."""
    if os.name == "nt":
        return
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
