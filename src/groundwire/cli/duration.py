"""A length of time in words that a person reads at a glance."""

from __future__ import annotations


def span(seconds: float) -> str:
    """The largest unit of which there are at least two.

    >>> span(7200), span(119), span(90000)
    ('2 hours', '119 seconds', '25 hours')
    """
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{int(seconds // length)} {unit}"
    return f"{int(seconds)} seconds"
