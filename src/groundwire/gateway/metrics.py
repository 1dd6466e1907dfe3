"""What the gateway has done so far, counted, and written in Prometheus' text form."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import accumulate

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)
"""Upper bounds in seconds: from a refusal to a model that thinks for minutes."""

PREFIX = "groundwire_gateway"


class Metrics:
    """Counters of one gateway. Nothing in them says what was asked or by whom."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()
        """By what was asked for, and the status of the answer; 499 when the client went away before it."""
        self.in_progress = 0
        self.streams_open = 0
        self.events = 0
        self.streams_cut = 0
        self.clients_gone = 0
        self._seconds = [0] * (len(BUCKETS) + 1)
        self._total_seconds = 0.0

    def answered(self, operation: str, status: int, seconds: float) -> None:
        """A request came to its end."""
        self.requests[operation, status] += 1
        self._seconds[bisect_left(BUCKETS, seconds)] += 1
        self._total_seconds += seconds

    def text(self) -> str:
        """Everything, one line each."""
        lines = _heading("requests_total", "counter", "Requests, by operation and status.")
        for (operation, status), count in sorted(self.requests.items()):
            labels = f'{{operation="{operation}",status="{status}"}}'
            lines.append(f"{PREFIX}_requests_total{labels} {count}")
        for name, kind, about, value in (
            ("requests_in_progress", "gauge", "Requests being answered now.", self.in_progress),
            ("streams_open", "gauge", "Streams being passed on now.", self.streams_open),
            ("stream_events_total", "counter", "Events of streams that ended well.", self.events),
            ("streams_cut_total", "counter", "Streams broken off after their first byte.", self.streams_cut),
            ("clients_gone_total", "counter", "Clients that left before the end.", self.clients_gone),
        ):
            lines += [*_heading(name, kind, about), f"{PREFIX}_{name} {value}"]
        lines += _heading("request_seconds", "histogram", "Seconds until the end of an answer.")
        counts = list(accumulate(self._seconds))
        bounds = [*map(str, BUCKETS), "+Inf"]
        lines += [
            f'{PREFIX}_request_seconds_bucket{{le="{bound}"}} {count}'
            for bound, count in zip(bounds, counts, strict=True)
        ]
        lines += [
            f"{PREFIX}_request_seconds_sum {self._total_seconds:.6f}",
            f"{PREFIX}_request_seconds_count {counts[-1]}",
        ]
        return "\n".join(lines) + "\n"


def _heading(name: str, kind: str, about: str) -> list[str]:
    return [f"# HELP {PREFIX}_{name} {about}", f"# TYPE {PREFIX}_{name} {kind}"]
