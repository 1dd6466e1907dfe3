"""When to try again, in words for a person."""

from __future__ import annotations

from groundwire.transport.retry import Refusal, server_delay


def when_to_retry(refusal: Refusal) -> str:
    """A sentence that says when another try makes sense."""
    delay = server_delay(refusal)
    if delay is None:
        return "Try again later, or use another provider."
    return f"Try again in {in_words(delay)}, or use another provider."


def in_words(seconds: float) -> str:
    """A duration for a person: `45 s`, `12 min`, `5 h 20 min`, `3 days`."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"{minutes} min"
    if minutes < 48 * 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{round(minutes / (24 * 60))} days"
