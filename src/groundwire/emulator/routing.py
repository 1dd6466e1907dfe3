"""Which function answers a request: each API is a list of routes and a way to refuse.

An Api owns path prefixes. A request under one of them that no route takes, that uses the wrong
method, or whose body cannot be read is refused in that API's own error form, so a client meets the
same shape of failure as from the real server.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from groundwire.emulator.wire import Call, Reply

if TYPE_CHECKING:
    from groundwire.emulator.world import World

Handler = Callable[[Call, "World"], Reply]
Takes = Literal["json", "form", "form or json", "nothing"]
Trouble = Literal["unknown path", "wrong method", "malformed body", "wrong content type", "body too large"]


class Rejected(Exception):
    """A request that cannot be handed to a handler; the API that owns its path words the refusal."""

    def __init__(self, trouble: Trouble, status: int, detail: str = "") -> None:
        super().__init__(trouble)
        self.trouble = trouble
        self.status = status
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a request never reached a handler."""

    trouble: Trouble
    status: int
    path: str
    method: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Route:
    """One address: `pattern` is a regular expression for the whole path; its named groups are captures."""

    method: str
    pattern: str
    handler: Handler
    takes: Takes = "nothing"
    kind: str = ""
    """The kind of job this address does (generate, token, ...); scenarios choose by it."""


@dataclass(frozen=True, slots=True)
class Api:
    """A served API: its name, the path prefixes it owns, its routes, and how it words a refusal."""

    name: str
    prefixes: tuple[str, ...]
    routes: tuple[Route, ...]
    refuse: Callable[[Problem], Reply]


@dataclass(frozen=True, slots=True)
class Match:
    """The route for a request, or (with `route` None) the refusal it gets."""

    api: Api
    route: Route | None
    captures: Mapping[str, str] = field(default_factory=dict)
    wrong_method: bool = False


class Router:
    """Finds the route of a request. The last Api given is the one that answers for unowned paths."""

    def __init__(self, apis: Sequence[Api]) -> None:
        self._apis = tuple(apis)
        self._compiled = [
            (api, [(route, re.compile(route.pattern)) for route in api.routes]) for api in self._apis
        ]

    def find(self, method: str, path: str) -> Match:
        """The match for a method and a path; a match without a route says why not."""
        owner: Api | None = None
        known_path = False
        for api, routes in self._compiled:
            if not path.startswith(api.prefixes):
                continue
            owner = owner or api
            for route, pattern in routes:
                found = pattern.fullmatch(path)
                if found is None:
                    continue
                if route.method == method:
                    return Match(api, route, found.groupdict())
                if not known_path:
                    owner, known_path = api, True
        return Match(owner or self._apis[-1], None, wrong_method=known_path)
