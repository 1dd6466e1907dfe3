"""Google sign-in: the authorization page, tokens, token and user information, revocation.

The real addresses are on accounts.google.com, oauth2.googleapis.com and www.googleapis.com; here all
paths are on one host. The authorization page consents at once and redirects, unless the scenario
`consent-page` asks for a page with a button. Checked as Google does it: redirect addresses (loopback,
or the Gemini CLI page that shows the code), single-use codes, PKCE, the client's id and secret; and
beyond Google, a `state` that was used before is refused.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Mapping
from hashlib import sha256
from hmac import compare_digest
from typing import Any
from urllib.parse import urlencode, urlsplit

from groundwire.emulator.google.accounts import (
    ACCESS_SECONDS,
    CODE_SECONDS,
    EMAIL,
    SUBJECT,
    GoogleAccounts,
    Grant,
)
from groundwire.emulator.google.consent import code_page, consent_page, refusal_page
from groundwire.emulator.google.errors import google_error, oauth_error
from groundwire.emulator.google.jwt import unsigned_jwt
from groundwire.emulator.google.service_accounts import GRANT, token_for_assertion
from groundwire.emulator.routing import Api, Problem, Route
from groundwire.emulator.wire import Call, Reply, json_reply, redirect
from groundwire.emulator.world import World

CODE_PAGE = "https://codeassist.google.com/authcode"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
OPENID = "openid"


def _authorize(call: Call, world: World) -> Reply:
    trouble = _authorization_trouble(call.query, world.of(GoogleAccounts))
    if trouble:
        return refusal_page(*trouble)
    if "consent-page" in call.scenarios:
        return consent_page(call.query)
    return _consented(call.query, call, world)


def _decide(call: Call, world: World) -> Reply:
    """The person pressed a button on the consent page."""
    asked = {name: value for name, value in call.form.items() if name != "decision"}
    trouble = _authorization_trouble(asked, world.of(GoogleAccounts))
    if trouble:
        return refusal_page(*trouble)
    if call.form.get("decision") != "allow":
        return _back(asked, {"error": "access_denied"})
    return _consented(asked, call, world)


def _authorization_trouble(asked: Mapping[str, str], accounts: GoogleAccounts) -> tuple[str, str] | None:
    for name in ("client_id", "redirect_uri", "response_type", "scope"):
        if not asked.get(name):
            return "invalid_request", f"Missing required parameter: {name}"
    if asked["response_type"] != "code":
        return "unsupported_response_type", f"Invalid response_type: {asked['response_type']}"
    if not _may_redirect_to(asked["redirect_uri"]):
        return "redirect_uri_mismatch", f"redirect_uri={asked['redirect_uri']}"
    if asked.get("code_challenge_method", "plain") not in ("S256", "plain"):
        return (
            "invalid_request",
            f"Invalid parameter value for code_challenge_method: {asked['code_challenge_method']}",
        )
    if asked.get("state") and asked["state"] in accounts.used_states:
        return "invalid_request", "This state was used before: make a new one for each sign-in."
    return None


def _may_redirect_to(address: str) -> bool:
    if address == CODE_PAGE:
        return True
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme == "http" and parts.hostname in LOOPBACK


def _consented(asked: Mapping[str, str], call: Call, world: World) -> Reply:
    if "access-denied" in call.scenarios:
        return _back(asked, {"error": "access_denied"})
    accounts = world.of(GoogleAccounts)
    code = world.next_id("4/0emulator-")
    accounts.codes[code] = Grant(
        client_id=asked["client_id"],
        redirect_uri=asked["redirect_uri"],
        scope=asked["scope"],
        challenge=asked.get("code_challenge", ""),
        challenge_method=asked.get("code_challenge_method", "plain"),
        expires=world.clock() + CODE_SECONDS,
        offline=asked.get("access_type") == "offline",
    )
    if asked.get("state"):
        accounts.used_states.add(asked["state"])
    return _back(asked, {"code": code, "scope": f"{asked['scope']} {OPENID}", "authuser": "0"})


def _back(asked: Mapping[str, str], answer: Mapping[str, str]) -> Reply:
    """Back to the client, or to the page that shows the code."""
    fields = dict(answer)
    if asked.get("state"):
        fields = {"state": asked["state"], **fields}
    if asked["redirect_uri"] == CODE_PAGE:
        return code_page(fields)
    joint = "&" if "?" in asked["redirect_uri"] else "?"
    return redirect(f"{asked['redirect_uri']}{joint}{urlencode(fields)}")


def _token(call: Call, world: World) -> Reply:
    form = call.form
    if form.get("grant_type") == GRANT:
        return token_for_assertion(call, world)
    if not form.get("client_id"):
        return oauth_error("invalid_request", "Could not determine client ID from request.")
    if not form.get("client_secret"):
        return oauth_error("invalid_request", "client_secret is missing.")
    if "invalid" in form["client_secret"]:
        return oauth_error("invalid_client", "The provided client secret is invalid.", 401)
    kind = form.get("grant_type")
    if kind == "authorization_code":
        return _exchange(form, world)
    if kind == "refresh_token":
        return _refresh(call, world)
    return oauth_error("unsupported_grant_type", f"Invalid grant_type: {kind or ''}")


def _exchange(form: Mapping[str, str], world: World) -> Reply:
    accounts = world.of(GoogleAccounts)
    code = form.get("code", "")
    grant = accounts.codes.pop(code, None)
    if grant is None:
        return oauth_error(
            "invalid_grant", "Bad Request" if code in accounts.spent_codes else "Malformed auth code."
        )
    accounts.spent_codes.add(code)
    if grant.expires < world.clock():
        return oauth_error("invalid_grant", "Bad Request")
    if form["client_id"] != grant.client_id:
        return oauth_error("unauthorized_client", "Unauthorized", 401)
    if form.get("redirect_uri") != grant.redirect_uri:
        return oauth_error("redirect_uri_mismatch", "Bad Request")
    if grant.challenge:
        verifier = form.get("code_verifier", "")
        if not verifier:
            return oauth_error("invalid_grant", "Missing code verifier.")
        if not compare_digest(challenge_of(verifier, grant.challenge_method), grant.challenge):
            return oauth_error("invalid_grant", "Invalid code verifier.")
    tokens = _tokens(grant.client_id, grant.scope, world)
    if grant.offline:
        tokens["refresh_token"] = _new_refresh_token(grant.client_id, grant.scope, world)
    return json_reply(tokens)


def _refresh(call: Call, world: World) -> Reply:
    accounts = world.of(GoogleAccounts)
    token = call.form.get("refresh_token", "")
    if "invalid-grant" in call.scenarios or not accounts.knows_refresh(token):
        return oauth_error("invalid_grant", "Token has been expired or revoked.")
    client_id = call.form["client_id"]
    if accounts.refresh_client.get(token, client_id) != client_id:
        return oauth_error("unauthorized_client", "Unauthorized", 401)
    scope = accounts.refresh_scope.get(token, "https://www.googleapis.com/auth/cloud-platform")
    answer = _tokens(client_id, scope, world)
    if "rotated-refresh-token" in call.scenarios:
        accounts.revoke(token)
        answer["refresh_token"] = _new_refresh_token(client_id, scope, world)
    return json_reply(answer)


def _new_refresh_token(client_id: str, scope: str, world: World) -> str:
    accounts = world.of(GoogleAccounts)
    token = world.next_id("1//emulator-refresh-")
    accounts.refresh_scope[token] = scope
    accounts.refresh_client[token] = client_id
    return token


def challenge_of(verifier: str, method: str) -> str:
    """The PKCE challenge that belongs to a verifier."""
    if method == "plain":
        return verifier
    return urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def _tokens(client_id: str, scope: str, world: World) -> dict[str, Any]:
    accounts = world.of(GoogleAccounts)
    now = world.clock()
    access = world.next_id("ya29.emulator-access-")
    accounts.access_expiry[access] = now + ACCESS_SECONDS
    accounts.access_scope[access] = scope
    claims = {
        "iss": "https://accounts.google.com",
        "aud": client_id,
        "azp": client_id,
        "sub": SUBJECT,
        "email": EMAIL,
        "email_verified": True,
        "iat": int(now),
        "exp": int(now) + ACCESS_SECONDS,
    }
    return {
        "access_token": access,
        "expires_in": ACCESS_SECONDS,
        "scope": f"{scope} {OPENID}",
        "token_type": "Bearer",
        "id_token": unsigned_jwt(claims),
    }


def _token_info(call: Call, world: World) -> Reply:
    accounts = world.of(GoogleAccounts)
    token = call.bearer or call.query.get("access_token") or call.form.get("access_token") or ""
    if not accounts.knows_access(token, world.clock()):
        return oauth_error("invalid_token", "Invalid Value")
    expires = accounts.access_expiry.get(token, world.clock() + ACCESS_SECONDS)
    scope = accounts.access_scope.get(token, "https://www.googleapis.com/auth/cloud-platform")
    return json_reply(
        {
            "azp": "emulator.apps.googleusercontent.com",
            "aud": "emulator.apps.googleusercontent.com",
            "sub": SUBJECT,
            "scope": f"{scope} {OPENID}",
            "exp": str(int(expires)),
            "expires_in": str(max(0, int(expires - world.clock()))),
            "email": EMAIL,
            "email_verified": "true",
            "access_type": "offline",
        }
    )


def _user_info(call: Call, world: World) -> Reply:
    if not world.of(GoogleAccounts).knows_access(call.bearer or "", world.clock()):
        return google_error(401, "Request is missing required authentication credential.")
    return json_reply(
        {"id": SUBJECT, "sub": SUBJECT, "email": EMAIL, "verified_email": True, "name": "Test Person"}
    )


def _revoke(call: Call, world: World) -> Reply:
    accounts = world.of(GoogleAccounts)
    token = call.form.get("token") or call.query.get("token") or ""
    if not (accounts.knows_access(token, world.clock()) or accounts.knows_refresh(token)):
        return oauth_error("invalid_token", "Token expired or revoked")
    accounts.revoke(token)
    return json_reply({})


def _refuse(problem: Problem) -> Reply:
    return oauth_error(
        "invalid_request", f"{problem.trouble}: {problem.method} {problem.path}", problem.status
    )


GOOGLE_OAUTH = Api(
    "google-oauth",
    ("/o/oauth2/", "/token", "/revoke", "/oauth2/"),
    (
        Route("GET", r"/o/oauth2/(v2/)?auth", _authorize, kind="sign-in"),
        Route("POST", r"/o/oauth2/(v2/)?auth", _decide, "form", "sign-in"),
        Route("POST", r"/token", _token, "form", "token"),
        Route("POST", r"/tokeninfo", _token_info, "form", "token-info"),
        Route("GET", r"/tokeninfo", _token_info, kind="token-info"),
        Route("GET", r"/oauth2/v[123]/userinfo", _user_info, kind="user-info"),
        Route("POST", r"/revoke", _revoke, "form", "revoke"),
    ),
    _refuse,
)
