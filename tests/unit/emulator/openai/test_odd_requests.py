"""Whatever JSON is sent to whichever field, the answer is a reply of the API, never a crash."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.sampled_from(["", "web", "auto", "function", "message", "x/y"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "role",
                    "content",
                    "name",
                    "id",
                    "text",
                    "tools",
                    "parameters",
                    "filters",
                    "call_id",
                    "output",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)
CODEX_FIELDS = ["input", "tools", "tool_choice", "include", "text", "reasoning", "instructions", "model"]
ROUTER_FIELDS = [
    "input",
    "messages",
    "plugins",
    "tools",
    "tool_choice",
    "models",
    "model",
    "stream",
    "response_format",
]
BOUNDED = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@BOUNDED
@given(changes=st.dictionaries(st.sampled_from(CODEX_FIELDS), JSON, max_size=3))
async def test_codex_survives_odd_fields(
    ask: Any, signed_in: dict[str, str], codex_request: Any, changes: dict[str, Any]
) -> None:
    heard = await ask("POST", "/backend-api/codex/responses", codex_request(**changes), headers=signed_in)
    assert heard.status in (200, 400)


@BOUNDED
@given(changes=st.dictionaries(st.sampled_from(ROUTER_FIELDS), JSON, max_size=3), chat=st.booleans())
async def test_openrouter_survives_odd_fields(
    ask: Any, keyed: dict[str, str], changes: dict[str, Any], chat: bool
) -> None:
    body = {
        "model": "openai/o4-mini",
        "input": "hi",
        "messages": [{"role": "user", "content": "hi"}],
        **changes,
    }
    path = "/api/v1/chat/completions" if chat else "/api/v1/responses"
    heard = await ask("POST", path, body, headers=keyed)
    assert heard.status in (200, 400)


@BOUNDED
@given(commands=JSON, configured=JSON)
async def test_standalone_search_survives_odd_commands(
    ask: Any, signed_in: dict[str, str], commands: Any, configured: Any
) -> None:
    body = {"model": "gpt-6.1-sol", "commands": {"search_query": [{"q": "x", "domains": commands}]}}
    for request in ({**body, "settings": {"filters": configured}}, {**body, "commands": commands}):
        heard = await ask("POST", "/backend-api/codex/alpha/search", request, headers=signed_in)
        assert heard.status == 200


@BOUNDED
@given(
    fields=st.dictionaries(
        st.sampled_from(["grant_type", "client_id", "code", "refresh_token", "token"]), JSON
    )
)
async def test_sign_in_survives_odd_fields(ask: Any, fields: dict[str, Any]) -> None:
    for path in (
        "/oauth/token",
        "/oauth/revoke",
        "/api/accounts/deviceauth/usercode",
        "/api/accounts/deviceauth/token",
    ):
        heard = await ask("POST", path, fields)
        assert heard.status in (200, 400, 401, 403, 404)
