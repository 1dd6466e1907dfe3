"""The emulated auth.openai.com: browser sign-in, device sign-in, token exchange, refresh, revoke.

The browser flow consents at once and redirects to the client's callback, unless a scenario asks for
a page with a button or for a refusal. The device flow answers "pending" once and then approves by
itself; with the scenario `device-manual` it waits for the code to be typed at /codex/device.
"""

from __future__ import annotations

import hashlib
from html import escape
from typing import Final
from urllib.parse import urlencode, urlsplit

from groundwire.emulator.openai.signin import (
    CODE_LIFETIME,
    DEVICE_CALLBACK,
    DEVICE_LIFETIME,
    REFRESH_MESSAGES,
    REFRESH_PREFIX,
    DeviceRequest,
    Grant,
    RefreshProblem,
    SignIns,
    challenge_of,
)
from groundwire.emulator.openai.tokens import LIFETIME, Account, access_token, id_token
from groundwire.emulator.routing import Api, Problem, Route
from groundwire.emulator.wire import Call, Reply, html_reply, json_reply, redirect
from groundwire.emulator.world import World

LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
TOKEN_EXCHANGE: Final = "urn:ietf:params:oauth:grant-type:token-exchange"  # noqa: S105  (a grant type)


def authorize(call: Call, world: World) -> Reply:
    """GET /oauth/authorize: check the request, then hand a code to the client's callback."""
    query = call.query
    wrong = _wrong_authorize(call)
    if wrong:
        return html_reply(_page("Sign-in refused", f"<p>{escape(wrong)}</p>"), 400)
    if "access-denied" in call.scenarios:
        answer = {"error": "access_denied", "error_description": "The user refused.", "state": query["state"]}
        return redirect(f"{query['redirect_uri']}?{urlencode(answer)}")
    code = _new_grant(world, query["client_id"], query["redirect_uri"], query["code_challenge"])
    back = f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"
    if "consent-page" in call.scenarios:
        button = f'<p><a id="allow" href="{escape(back)}">Continue to Codex</a></p>'
        return html_reply(_page("Sign in to Codex with ChatGPT", button))
    return redirect(back)


def token(call: Call, world: World) -> Reply:
    """POST /oauth/token: exchange a code, refresh, or trade an ID token for an API key."""
    fields = {**call.form, **(call.json if isinstance(call.json, dict) else {})}
    kind = fields.get("grant_type")
    if kind == "authorization_code":
        return _exchange(fields, world)
    if kind == "refresh_token":
        return _refresh(fields, call, world)
    if kind == TOKEN_EXCHANGE:
        return _oauth_error("invalid_request", "This account has no platform organization.", 401)
    return _oauth_error("unsupported_grant_type", f"grant_type {kind!r} is not supported.")


def revoke(call: Call, world: World) -> Reply:
    """POST /oauth/revoke: forget a token; unknown ones are forgotten just as well."""
    fields = {**call.form, **(call.json if isinstance(call.json, dict) else {})}
    value = fields.get("token")
    if not isinstance(value, str) or not value:
        return _oauth_error("invalid_request", "token is required.")
    world.of(SignIns).revoked.add(value)
    return json_reply({})


def device_code(call: Call, world: World) -> Reply:
    """POST /api/accounts/deviceauth/usercode: begin a sign-in without a browser."""
    if "device-disabled" in call.scenarios:
        return _error("Not found", "not_found", 404)
    client_id = call.json.get("client_id") if isinstance(call.json, dict) else None
    if not isinstance(client_id, str) or not client_id:
        return _error("client_id is required.", "invalid_request", 400)
    number = world.count("device")
    request = DeviceRequest(
        f"deviceauth_{number:06d}", f"EMUL-{number:05d}", client_id, world.clock() + DEVICE_LIFETIME
    )
    world.of(SignIns).devices[request.device_auth_id] = request
    # `interval` is a string on the real server; "0" lets tests and demos poll without waiting.
    interval = "5" if "device-manual" in call.scenarios else "0"
    return json_reply(
        {"device_auth_id": request.device_auth_id, "user_code": request.user_code, "interval": interval}
    )


def device_token(call: Call, world: World) -> Reply:
    """POST /api/accounts/deviceauth/token: 403 while nobody approved, then a code with its PKCE pair."""
    fields = call.json if isinstance(call.json, dict) else {}
    signins = world.of(SignIns)
    request = signins.devices.get(str(fields.get("device_auth_id")))
    if request is None or request.user_code != fields.get("user_code"):
        return _error("Unknown device authorization.", "deviceauth_unknown", 404)
    if "device-denied" in call.scenarios or request.expires_at <= world.clock():
        return _error("The device authorization was declined or has expired.", "deviceauth_expired", 400)
    request.polls += 1
    approved = request.approved or (request.polls > 1 and "device-manual" not in call.scenarios)
    if not approved:
        return _error("Device authorization is pending.", "deviceauth_authorization_pending", 403)
    del signins.devices[request.device_auth_id]
    verifier = hashlib.sha256(request.device_auth_id.encode()).hexdigest()
    challenge = challenge_of(verifier)
    code = _new_grant(world, request.client_id, DEVICE_CALLBACK, challenge)
    return json_reply({"authorization_code": code, "code_challenge": challenge, "code_verifier": verifier})


def device_page(call: Call, world: World) -> Reply:
    """GET or POST /codex/device: a page to type the user code into; a known code is approved."""
    typed = call.form.get("user_code") or call.query.get("user_code")
    if not typed:
        form = '<form method="post"><input name="user_code" autofocus> <button>Continue</button></form>'
        return html_reply(_page("Enter the code shown on your device", form))
    request = world.of(SignIns).device_with(typed)
    if request is None:
        return html_reply(_page("Unknown code", "<p>Check the code and try again.</p>"), 404)
    request.approved = True
    return html_reply(_page("Signed in", "<p>You may close this page and return to your device.</p>"))


def _exchange(fields: dict[str, str], world: World) -> Reply:
    wanted = ("code", "client_id", "redirect_uri", "code_verifier")
    missing = [name for name in wanted if not fields.get(name)]
    if missing:
        return _oauth_error("invalid_request", f"{', '.join(missing)} required.")
    code, client_id, redirect_uri, verifier = (fields[name] for name in wanted)
    refused = world.of(SignIns).redeem(code, client_id, redirect_uri, verifier, world.clock())
    if refused:
        return _oauth_error("invalid_grant", refused)
    return _tokens(world, client_id)


def _refresh(fields: dict[str, str], call: Call, world: World) -> Reply:
    refresh_token = fields.get("refresh_token")
    if not refresh_token or not fields.get("client_id"):
        return _oauth_error("invalid_request", "refresh_token and client_id are required.")
    forced = [name for name in REFRESH_MESSAGES if name.replace("_", "-") in call.scenarios]
    problem: RefreshProblem | None = forced[0] if forced else world.of(SignIns).rotate(refresh_token)
    if problem is not None:
        return _error(REFRESH_MESSAGES[problem], problem, 401)
    return _tokens(
        world, fields["client_id"], lifetime=120 if "short-lived-token" in call.scenarios else LIFETIME
    )


def _tokens(world: World, client_id: str, lifetime: int = LIFETIME) -> Reply:
    account, now, issuer = Account(), world.clock(), world.base_url
    serial = world.count("openai refresh token")
    seed = f"{now}:{serial}"
    return json_reply(
        {
            "id_token": id_token(account, issuer, client_id, now),
            "access_token": access_token(account, issuer, now, lifetime, serial=serial),
            "refresh_token": REFRESH_PREFIX + hashlib.sha256(seed.encode()).hexdigest()[:40],
            "expires_in": lifetime,
            "token_type": "Bearer",
            "scope": "openid profile email offline_access",
        }
    )


def _new_grant(world: World, client_id: str, redirect_uri: str, challenge: str) -> str:
    code = world.next_id("ac_")
    grant = Grant(client_id, redirect_uri, challenge, world.clock() + CODE_LIFETIME)
    world.of(SignIns).grants[code] = grant
    return code


def _wrong_authorize(call: Call) -> str:
    query = call.query
    for name in ("client_id", "redirect_uri", "code_challenge", "state", "scope"):
        if not query.get(name):
            return f"{name} is missing."
    if query.get("response_type") != "code":
        return "response_type must be code."
    if query.get("code_challenge_method") != "S256":
        return "code_challenge_method must be S256."
    if not query["client_id"].startswith("app_"):
        return "The client is unknown."
    target = urlsplit(query["redirect_uri"])
    plain = target._replace(netloc="").geturl() == "http:///auth/callback"
    if not plain or target.hostname not in LOOPBACK:
        return "redirect_uri must be http://localhost:PORT/auth/callback."
    return ""


def _page(title: str, body: str) -> str:
    return (
        f"<!doctype html><html><head><title>{title}</title></head><body><h1>{title}</h1>{body}</body></html>"
    )


def _oauth_error(code: str, description: str, status: int = 400) -> Reply:
    return json_reply({"error": code, "error_description": description}, status)


def _error(message: str, code: str, status: int) -> Reply:
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": code}
    return json_reply({"error": error}, status)


def _refuse(problem: Problem) -> Reply:
    words = {"unknown path": "Not found", "body too large": "Request entity too large"}
    message = words.get(problem.trouble, f"{problem.trouble.capitalize()}. {problem.detail}".strip())
    return _error(message, problem.trouble.replace(" ", "_"), problem.status)


OPENAI_OAUTH: Final = Api(
    name="openai-oauth",
    prefixes=("/oauth/", "/api/accounts/", "/codex/device"),
    routes=(
        Route("GET", "/oauth/authorize", authorize, kind="authorize"),
        Route("POST", "/oauth/token", token, takes="form or json", kind="token"),
        Route("POST", "/oauth/revoke", revoke, takes="form or json", kind="revoke"),
        Route("POST", "/api/accounts/deviceauth/usercode", device_code, takes="json", kind="device"),
        Route("POST", "/api/accounts/deviceauth/token", device_token, takes="json", kind="device"),
        Route("GET", "/codex/device", device_page, kind="page"),
        Route("POST", "/codex/device", device_page, takes="form", kind="page"),
    ),
    refuse=_refuse,
)
