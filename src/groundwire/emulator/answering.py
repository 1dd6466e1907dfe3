"""From one raw request to its reply, without I/O: route, scenarios, body, handler.

The steps, in order: the path gives the route (and, after `/~`, scenarios); header, path, body or the
emulator's own setting give the scenarios; the body is read as the route wants it; scenarios may
answer instead of the handler, or change its reply. A step that cannot be done is refused in the form of
the API that owns the path. Every request is remembered, whatever became of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, unquote

import msgspec

from groundwire.emulator.routing import Match, Problem, Rejected, Route, Router
from groundwire.emulator.scenarios import HEADER, MARKER, catalogue, names_in
from groundwire.emulator.wire import Call, Reply, form_fields, json_reply
from groundwire.emulator.world import World
from groundwire.errors import InvalidConfig

FORM_TYPE = "application/x-www-form-urlencoded"
_decode = msgspec.json.Decoder().decode


@dataclass(frozen=True, slots=True)
class RawRequest:
    """What came over the wire; `body` is why there is none when it could not be read."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes | Rejected


@dataclass(frozen=True, slots=True)
class Answered:
    """A call and the reply it gets."""

    call: Call
    reply: Reply


def answer(raw: RawRequest, router: Router, world: World) -> Answered:
    """The reply to a request; the request is added to the world's list."""
    named, path = _without_scenarios(raw.path)
    match = router.find(raw.method, path)
    call = Call(
        method=raw.method,
        path=path,
        query=dict(parse_qsl(raw.query, keep_blank_values=True)),
        headers=raw.headers,
        captures=match.captures,
        api=match.api.name,
        kind=match.route.kind if match.route else "",
    )
    try:
        call = _with_body(call, raw.body)
        call = replace(call, scenarios=_chosen(call, named) or world.scenarios)
        route = _route_of(match)
        call = _read(call, route)
        reply = _played(call, route, world)
    except Rejected as rejected:
        problem = Problem(rejected.trouble, rejected.status, path, raw.method, rejected.detail)
        reply = match.api.refuse(problem)
    except RecursionError:
        reply = match.api.refuse(Problem("malformed body", 400, path, raw.method, "It is nested too deeply."))
    except InvalidConfig as error:  # an unknown scenario: the emulator's own matter, so its own words
        reply = json_reply({"error": {"code": 400, "message": str(error), "status": "INVALID_ARGUMENT"}}, 400)
    finally:
        world.note(call)
    return Answered(call, reply)


def _with_body(call: Call, body: bytes | Rejected) -> Call:
    if isinstance(body, Rejected):
        raise body
    return replace(call, body=body) if body else call


def _without_scenarios(path: str) -> tuple[str, str]:
    """The scenario names at the front of a path (`/~a+b/v1/models`), and the path without them."""
    if not path.startswith("/~"):
        return "", path
    names, _, rest = path[2:].partition("/")
    return unquote(names), f"/{rest}"


def _chosen(call: Call, named: str) -> tuple[str, ...]:
    if HEADER in call.headers:
        return names_in(call.headers[HEADER])
    if named:
        return names_in(named)
    if b"[[scenario:" in call.body:
        found = MARKER.findall(call.body)
        return names_in(found[-1].decode("ascii")) if found else ()
    return ()


def _route_of(match: Match) -> Route:
    if match.route is not None:
        return match.route
    raise Rejected("wrong method", 405) if match.wrong_method else Rejected("unknown path", 404)


def _read(call: Call, route: Route) -> Call:
    """The call with its body decoded as the route wants it."""
    if route.takes == "nothing":
        return call
    kind = call.media_type
    if "form" in route.takes and kind in (FORM_TYPE, ""):
        return replace(call, form=form_fields(call.body))
    if "json" in route.takes and (kind in ("application/json", "") or kind.endswith("+json")):
        try:
            return replace(call, json=_decode(call.body) if call.body.strip() else None)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise Rejected("malformed body", 400, str(error)) from error
    if not call.body:
        return call
    raise Rejected("wrong content type", 415, kind)


def _played(call: Call, route: Route, world: World) -> Reply:
    """The handler's reply, with the scenarios that touch this call around it."""
    playing = [scenario for name in call.scenarios if (scenario := catalogue()[name]).touches(call)]
    for scenario in playing:
        if scenario.before is not None and (instead := scenario.before(call, world)) is not None:
            return instead
    reply = route.handler(call, world)
    for scenario in playing:
        if scenario.after is not None:
            reply = scenario.after(call, world, reply)
    return reply
