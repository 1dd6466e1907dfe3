"""Base URLs as people set them: with the service's path, or only the host of a proxy that mirrors it."""

from __future__ import annotations

import pytest

from groundwire.providers.base import Question
from groundwire.providers.openai_oauth import OpenAIOAuth
from groundwire.providers.openrouter import OpenRouter

QUESTION = Question("q", "m")


@pytest.mark.parametrize(
    "base_url", ["https://proxy.example", "https://proxy.example/", "https://proxy.example/api/v1/"]
)
def test_openrouter_is_found_behind_a_host_or_a_full_base_url(base_url: str) -> None:
    assert OpenRouter(base_url=base_url).ask(QUESTION).url == "https://proxy.example/api/v1/responses"


@pytest.mark.parametrize("base_url", ["http://127.0.0.1:8080", "http://127.0.0.1:8080/backend-api/codex"])
def test_codex_is_found_behind_a_host_or_a_full_base_url(base_url: str) -> None:
    assert (
        OpenAIOAuth(base_url=base_url).ask(QUESTION).url
        == "http://127.0.0.1:8080/backend-api/codex/responses"
    )


def test_another_path_is_left_alone() -> None:
    assert (
        OpenRouter(base_url="https://proxy.example/ai").ask(QUESTION).url
        == "https://proxy.example/ai/responses"
    )
