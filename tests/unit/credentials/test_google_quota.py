"""What is left of the quota: read from whatever the server sends."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.credentials.google_quota import Bucket, buckets_in


def test_a_bucket_tells_model_rest_and_reset() -> None:
    bucket = {
        "modelId": "m",
        "remainingFraction": 0.25,
        "remainingAmount": "250",
        "resetTime": "2027-01-15T08:00:00Z",
    }
    assert buckets_in(200, json.dumps({"buckets": [bucket]}).encode()) == [
        Bucket("m", 0.25, 250.0, 1_800_000_000.0)
    ]


def test_what_is_not_told_stays_open() -> None:
    body = json.dumps({"buckets": [{"resetTime": "soon", "remainingAmount": "many"}, 7]}).encode()
    assert buckets_in(200, body) == [Bucket("all models", None, None, None)]


@pytest.mark.parametrize(
    ("status", "body"), [(404, b"{}"), (500, b"{}"), (200, b"[]"), (200, b'{"buckets": 1}')]
)
def test_a_server_that_does_not_tell_is_none(status: int, body: bytes) -> None:
    assert buckets_in(status, body) is None


@given(st.binary(max_size=100))
def test_any_body_is_read(body: bytes) -> None:
    buckets_in(200, b'{"buckets": [' + body + b"]}")
