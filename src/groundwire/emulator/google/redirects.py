"""Grounding links that redirect: Google shows a link of its own, which leads on to the source.

Real answers hold `https://vertexaisearch.cloud.google.com/grounding-api-redirect/ID`. With the
scenario `redirect-links` the links lead to the same path on the emulator, which answers 302.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256

from groundwire.emulator.routing import Api, Problem, Route
from groundwire.emulator.wire import Call, Reply, html_reply, redirect
from groundwire.emulator.world import World

PREFIX = "/grounding-api-redirect/"


@dataclass(slots=True)
class Redirects:
    """Where each handed-out link leads."""

    targets: dict[str, str] = field(default_factory=dict)


def redirect_link(url: str, world: World) -> str:
    """The redirecting link for an address: the same one each time."""
    name = "AUZIYQ" + sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    world.of(Redirects).targets[name] = url
    return f"{world.base_url}{PREFIX}{name}"


def _follow(call: Call, world: World) -> Reply:
    target = world.of(Redirects).targets.get(call.captures["name"])
    return redirect(target) if target else _not_found(Problem("unknown path", 404, call.path, call.method))


def _not_found(problem: Problem) -> Reply:
    return html_reply(
        f"<!DOCTYPE html>\n<title>Error {problem.status}</title>\n<p>No such link.\n", problem.status
    )


REDIRECTS = Api(
    "redirects",
    (PREFIX,),
    (
        Route("GET", PREFIX + r"(?P<name>\w+)", _follow),
        Route("HEAD", PREFIX + r"(?P<name>\w+)", _follow),
    ),
    _not_found,
)
