"""One layer of settings: values as some source gives them, not yet checked, and where they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from groundwire.config.files import ConfigProblem


@dataclass(frozen=True, slots=True)
class Found:
    """A value, the file or variable it is from, its line there and its name there."""

    value: object = field(repr=False)
    source: str
    line: int | None
    key: str


@dataclass(frozen=True, slots=True)
class Layer:
    """What one source says, by setting; the files it is made of; what in them could not be read."""

    found: Mapping[str, Found] = field(default_factory=dict)
    files: tuple[Path, ...] = ()
    problems: tuple[ConfigProblem, ...] = ()
