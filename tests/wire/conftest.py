"""Recording: GROUNDWIRE_RECORD=1 writes the expected results instead of only comparing them."""

from __future__ import annotations

import os

import pytest

RECORD = os.environ.get("GROUNDWIRE_RECORD") == "1"


@pytest.fixture
def record() -> bool:
    """Whether to write expected results."""
    return RECORD
