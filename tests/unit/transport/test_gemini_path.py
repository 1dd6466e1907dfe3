"""What an address of the Gemini API asks for."""

from __future__ import annotations

import pytest

from groundwire.transport.gemini_path import ModelCall, model_call


@pytest.mark.parametrize("version", ["v1", "v1beta", "v1alpha"])
def test_every_version_is_known(version: str) -> None:
    assert model_call(f"/{version}/models/m:countTokens") == ModelCall("m", "countTokens")


@pytest.mark.parametrize(
    ("target", "call"),
    [
        ("https://h/v1/models/m:generateContent", ModelCall("m", "generateContent")),
        ("https://h:1/base/v1/v1beta/models/a%2Fb:generateContent", ModelCall("a/b", "generateContent")),
        ("/v1beta/models/m:streamGenerateContent?alt=sse", ModelCall("m", "streamGenerateContent", True)),
        ("/v1/models/m:streamGenerateContent?key=k&$alt=sse", ModelCall("m", "streamGenerateContent", True)),
        ("/v1/models/m:streamGenerateContent?%24alt=sse&x", ModelCall("m", "streamGenerateContent", True)),
        ("/v1/models/m:streamGenerateContent?alt=json", ModelCall("m", "streamGenerateContent", False)),
        ("/v1/models/m:streamGenerateContent?salt=sse", ModelCall("m", "streamGenerateContent", False)),
        ("/v1/models/m:generateContent?alt=sse", ModelCall("m", "generateContent", False)),
        ("/v1/models/m:embedContent", ModelCall("m", "embedContent")),
    ],
)
def test_a_call_of_a_model_is_read(target: str, call: ModelCall) -> None:
    assert model_call(target) == call


@pytest.mark.parametrize(
    "target",
    [
        "",
        "/v1beta/models",
        "/v1beta/models/m",
        "/v2/models/m:generateContent",
        "/v1beta/models/a/b:generateContent",
        "/v1beta/models/m:generateContent/more",
        "/v1beta/models/:generateContent",
        "/upload/v1beta/files",
        "/v1beta/files?x=/v1beta/models/m",
        "http://[::1",
    ],
)
def test_anything_else_is_not_a_call_of_a_model(target: str) -> None:
    assert model_call(target) is None
