"""Whatever comes in, an answer goes out: any JSON, any method and path, nesting without end."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.emulator.openai.tokens import Account, access_token

WORDS = """
contents parts text role tools functionDeclarations name parameters type properties items enum format required
anyOf toolConfig functionCallingConfig mode generationConfig responseSchema responseMimeType thinkingConfig
systemInstruction functionCall functionResponse response args thoughtSignature request model project tierId
cloudaicompanionProject metadata input messages plugins instructions store stream
"""
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(
        ["user", "model", "OBJECT", "ARRAY", "STRING", "gemini-2.5-flash", "application/json", ""]
    )
    | st.text(max_size=8)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS.split()), inner, max_size=4)
    ),
    max_leaves=12,
)
PATHS = [
    "/v1beta/models/gemini-3-pro-preview:generateContent",
    "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
    "/v1beta/models/gemini-2.5-flash:countTokens",
    "/v1/projects/p/locations/l/publishers/google/models/gemini-2.5-flash:generateContent",
    "/v1internal:generateContent",
    "/v1internal:countTokens",
    "/v1internal:loadCodeAssist",
    "/v1internal:onboardUser",
    "/backend-api/codex/responses",
    "/api/v1/responses",
    "/api/v1/chat/completions",
    "/oauth/token",
]


def token_for(path: str) -> str:
    if path.startswith("/backend-api"):
        return access_token(Account(), "http://127.0.0.1", 1_800_000_000.0)
    return "sk-or-v1-mine" if path.startswith("/api") else "ya29.mine"


@pytest.mark.parametrize("path", PATHS)
@settings(max_examples=25, deadline=None)
@given(body=VALUES)
async def test_any_json_gets_an_answer(asking: Any, path: str, body: Any) -> None:
    headers = {"authorization": f"Bearer {token_for(path)}", "chatgpt-account-id": Account().account_id}
    headers["user-agent"] = "test"
    heard = await asking()("POST", path, body, headers=headers)
    assert 200 <= heard.status < 500
    assert heard.ended


@given(
    contents=st.lists(st.fixed_dictionaries({"role": st.sampled_from(["user", "model"]), "parts": VALUES}))
)
@settings(max_examples=50, deadline=None)
async def test_any_contents_get_an_answer(asking: Any, contents: Any) -> None:
    assert (await asking()("POST", PATHS[0], {"contents": contents})).status in (200, 400)


@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"contents":' * 700 + b"1" + b"}" * 700])
async def test_nesting_without_end_is_refused(ask: Any, body: bytes) -> None:
    assert (await ask("POST", PATHS[0], body=body)).status == 400


async def test_deeply_nested_schemas_are_refused_or_answered(ask: Any, user: Any) -> None:
    schema: Any = {"type": "STRING"}
    for _ in range(300):
        schema = {"type": "ARRAY", "items": schema}
    tools = [{"functionDeclarations": [{"name": "f", "parameters": schema}]}]
    assert (await ask("POST", PATHS[0], user("x", tools=tools))).status in (200, 400)


@given(
    method=st.sampled_from(["GET", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"]), path=st.text(max_size=30)
)
async def test_any_path_gets_an_answer(asking: Any, method: str, path: str) -> None:
    heard = await asking()(method, "/" + path.partition("?")[0])
    assert 200 <= heard.status < 500
