"""The metadata server that every machine of Google Cloud has: who it is, its project, and tokens for it.

The real one is at metadata.google.internal; GCE_METADATA_HOST points Google's libraries here. Like the real
one it answers only those who say `Metadata-Flavor: Google`, which a web page cannot.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from groundwire.emulator.google.accounts import ACCESS_SECONDS, GoogleAccounts
from groundwire.emulator.routing import Api, Handler, Problem, Route
from groundwire.emulator.wire import Call, Reply, json_reply
from groundwire.emulator.world import World

EMAIL = "machine@emulator-project.iam.gserviceaccount.com"
PROJECT = "emulator-project"
SCOPE = "https://www.googleapis.com/auth/cloud-platform"
FLAVOR = ("metadata-flavor", "Google")


def _text(words: str, status: int = 200) -> Reply:
    return Reply(status, (("content-type", "application/text"),), words.encode())


def _checked(handler: Callable[[Call, World], Reply]) -> Handler:
    def handle(call: Call, world: World) -> Reply:
        if call.headers.get("metadata-flavor") != "Google":
            return _text("Missing Metadata-Flavor:Google header.", 403)
        reply = handler(call, world)
        return replace(reply, headers=(*reply.headers, FLAVOR))

    return handle


def _account(call: Call, world: World) -> Reply:
    return json_reply({"aliases": ["default"], "email": EMAIL, "scopes": [SCOPE]})


def _token(call: Call, world: World) -> Reply:
    accounts = world.of(GoogleAccounts)
    access = world.next_id("ya29.c.emulator-machine-")
    accounts.access_expiry[access] = world.clock() + ACCESS_SECONDS
    accounts.access_scope[access] = call.query.get("scopes") or SCOPE
    return json_reply({"access_token": access, "expires_in": ACCESS_SECONDS, "token_type": "Bearer"})


def _project(call: Call, world: World) -> Reply:
    return _text(PROJECT)


def _refuse(problem: Problem) -> Reply:
    return _text(f"{problem.trouble}: {problem.method} {problem.path}", problem.status)


_SERVICE_ACCOUNT = rf"/computeMetadata/v1/instance/service-accounts/(default|{EMAIL})"

METADATA_SERVER = Api(
    "metadata-server",
    ("/computeMetadata/",),
    (
        Route("GET", rf"{_SERVICE_ACCOUNT}/", _checked(_account), kind="metadata"),
        Route("GET", rf"{_SERVICE_ACCOUNT}/token", _checked(_token), kind="token"),
        Route("GET", r"/computeMetadata/v1/project/project-id", _checked(_project), kind="metadata"),
    ),
    _refuse,
)
