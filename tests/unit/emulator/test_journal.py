"""The log: what was asked and answered, never a secret."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import msgspec
import pytest

from groundwire.emulator.journal import Journal, masked


async def logged(asking: Any, *words: Any, **more: Any) -> Any:
    file = BytesIO()
    ask = asking(on_reply=Journal(file, lambda: 0.0))
    await ask(*words, **more)
    return msgspec.json.decode(file.getvalue())


async def test_a_request_is_one_line_with_its_status(asking: Any, user: Any) -> None:
    line = await logged(asking, "POST", "/v1beta/models/gemini-2.5-flash:generateContent?a=1", user("hi"))
    assert line["time"] == "1970-01-01T00:00:00.000+00:00"
    assert (line["api"], line["method"], line["status"]) == ("gemini", "POST", 200)
    assert line["query"] == {"a": "1"}
    assert line["body"] == user("hi")


async def test_keys_and_tokens_are_masked_wherever_they_travel(asking: Any) -> None:
    form = {
        "grant_type": "refresh_token",
        "client_id": "c",
        "client_secret": "very-secret-secret",
        "refresh_token": "1//a-refresh-token",
    }
    headers = {"authorization": "Bearer ya29.abcdefghijkl", "x-goog-api-key": "AIza-something-long"}
    line = await logged(asking, "POST", "/token?key=query-key-query-key", form=form, headers=headers)
    text = msgspec.json.encode(line).decode()
    for secret in (
        "very-secret-secret",
        "a-refresh-token",
        "abcdefghijkl",
        "AIza-something",
        "query-key-query",
    ):
        assert secret not in text
    assert line["body"]["client_id"] == "c"


@pytest.mark.parametrize(
    ("secret", "shown"),
    [
        ("short", "<5 characters>"),
        ("a-rather-long-secret", "<20 characters, ending cret>"),
        ("Bearer abcdefghijklmnopqrst", "Bearer <20 characters, ending qrst>"),
    ],
)
def test_a_secret_shows_its_length_and_ending_only(secret: str, shown: str) -> None:
    assert masked(secret) == shown
