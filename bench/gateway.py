"""The gateway against other proxies in front of the same upstream, in one run.

    python -m bench.gateway [--quick] [--only-ours]

Peers: node http-proxy, a forwarder on Starlette and httpx (what the Python proxies of this kind are), and
LiteLLM's proxy. All run as one process each, on loopback; the upstream gives fixed answers. Rounds alternate
between the proxies and medians are shown, because the machine is shared: read the ratios. LiteLLM, which
takes seconds, is measured in fewer rounds.

Goals: at 32 connections at least 50 × LiteLLM's and 0.8 × node http-proxy's requests a second; at one
connection at most 2 × the time that node http-proxy adds; at 256 streams of 20 tokens a second at most 2 ×
its median delay of an event, none lost, doubled or out of order; and memory flat for a minute of that.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import defaultdict
from contextlib import ExitStack

import uvloop

from bench.gateway_load import Streams, ask, read_streams
from bench.gateway_peers import KEY, LITELLM, NODE, OURS, Proxies, Proxy
from bench.peers import Peers
from bench.results import Curve, Row, Spread, finish

CONCURRENCIES = (1, 4, 16, 32, 64, 128, 256)
STREAMS = 256
SOAK_SECONDS = 60
FLAT_MEGABYTES = 8.0
"""How much more memory may be held after a minute than after its first third."""

Values = dict[str, list[float]]


class Found:
    """Everything that was measured, by what and by proxy."""

    def __init__(self) -> None:
        self.rates: Values = defaultdict(list)
        self.costs: Values = defaultdict(list)
        self.latencies: Values = defaultdict(list)
        self.delays: Values = defaultdict(list)
        self.late_delays: Values = defaultdict(list)
        self.memory: Values = defaultdict(list)
        self.streams: dict[str, list[Streams]] = defaultdict(list)
        self.curve: dict[str, list[tuple[float, float]]] = defaultdict(list)
        self.soak: Streams | None = None
        self.soak_memory: list[float] = []

    def added(self) -> Values:
        """The milliseconds each proxy adds to a request, round by round."""
        bare = self.latencies["no proxy"]
        middle = statistics.median(bare)
        return {
            name: [1000 * (value - middle) for value in values]
            for name, values in self.latencies.items()
            if name != "no proxy"
        }


async def measure_unary(proxies: list[Proxy], found: Found, rounds: int, seconds: float) -> None:
    """Requests one at a time, and 32 at a time."""
    for number in range(rounds + 1):  # the first round warms up
        for proxy in proxies:
            if proxy.slow and number > 2:
                continue
            path = proxy.path("generateContent")
            _, taken = await ask(proxy.port, path, KEY, concurrency=1, seconds=seconds / 2)
            spent = proxy.cpu_seconds()
            rate, many = await ask(
                proxy.port, path, KEY, concurrency=32, seconds=seconds * (2 if proxy.slow else 1)
            )
            if number == 0:
                continue
            found.latencies[proxy.name].append(statistics.median(taken))
            found.rates[proxy.name].append(rate)
            found.costs[proxy.name].append(1e6 * (proxy.cpu_seconds() - spent) / len(many))


async def measure_streams(proxies: list[Proxy], found: Found, rounds: int, events: int) -> None:
    """256 streams at once."""
    for number in range(rounds):
        for proxy in proxies:
            if proxy.slow and number > 0:
                continue
            streams = await read_streams(
                proxy.port,
                proxy.path("streamGenerateContent", events),
                KEY,
                concurrency=STREAMS,
                count=events,
                limit=events / 20 + 60,
            )
            found.streams[proxy.name].append(streams)
            if streams.delays:
                found.delays[proxy.name].append(1000 * statistics.median(streams.delays))
                found.late_delays[proxy.name].append(1000 * statistics.quantiles(streams.delays, n=100)[98])
            found.memory[proxy.name].append(proxy.megabytes())


async def measure_curve(proxies: list[Proxy], found: Found, seconds: float) -> None:
    """Requests a second over the number of connections."""
    for concurrency in CONCURRENCIES:
        for proxy in proxies:
            rate, _ = await ask(
                proxy.port, proxy.path("generateContent"), KEY, concurrency=concurrency, seconds=seconds
            )
            found.curve[proxy.name].append((concurrency, round(rate, 1)))


async def soak(proxy: Proxy, found: Found, seconds: int) -> None:
    """A minute of 256 streams, its memory looked at each second."""
    found.soak = await read_streams(
        proxy.port,
        proxy.path("streamGenerateContent", seconds * 20),
        KEY,
        concurrency=STREAMS,
        count=seconds * 20,
        limit=seconds + 60,
        watch=lambda: found.soak_memory.append(proxy.megabytes()),
    )


async def measure(proxies: list[Proxy], quick: bool) -> Found:
    """All of it."""
    found = Found()
    quickest = [proxy for proxy in proxies if not proxy.slow]
    await measure_unary(proxies, found, 3 if quick else 7, 0.6 if quick else 1.5)
    _told("unary requests", found.rates, "requests/s")
    through = [proxy for proxy in proxies if proxy.pids]
    await measure_streams(through, found, 1 if quick else 3, 40 if quick else 120)
    _told(f"{STREAMS} streams", found.delays, "ms median delay")
    await measure_curve(quickest if quick else proxies, found, 0.4 if quick else 1.0)
    ours = next(proxy for proxy in proxies if proxy.name == OURS)
    await soak(ours, found, 5 if quick else SOAK_SECONDS)
    return found


def _told(what: str, values: Values, unit: str) -> None:
    shown = ", ".join(f"{name} {statistics.median(some):,.2f}" for name, some in values.items() if some)
    print(f"{what}: {shown} {unit}", flush=True)


def rows_of(found: Found) -> list[Row]:
    """What was found, with the goals."""
    growth = _growth(found.soak_memory)
    soaked = found.soak or Streams(unfinished=1)
    faults = [streams for streams in found.streams[OURS] if not streams.faultless]
    return [
        _row("requests a second, 32 connections", "requests/s", found.rates, (0.8, NODE), (50, LITELLM)),
        _row("CPU of a request", "µs", found.costs),
        _row("time added to a request, 1 connection", "ms", found.added(), (-2, NODE)),
        _row(f"delay of an event, {STREAMS} streams, median", "ms", found.delays, (-2, NODE)),
        _row(f"delay of an event, {STREAMS} streams, 99th of 100", "ms", found.late_delays),
        _row(f"memory with {STREAMS} streams", "MB", found.memory),
        Row(
            f"events lost, doubled or out of order, {STREAMS} streams",
            "events",
            _one(sum(one.lost + one.doubled + one.disordered + one.unfinished for one in faults)),
            {
                name: _one(sum(one.lost + one.doubled + one.disordered + one.unfinished for one in some))
                for name, some in found.streams.items()
                if name != OURS
            },
            "none",
            not faults,
        ),
        Row(
            f"a minute of {STREAMS} streams: events lost, doubled or out of order, of {len(soaked.delays):,}",
            "events",
            _one(soaked.lost + soaked.doubled + soaked.disordered + soaked.unfinished),
            {},
            "none",
            soaked.faultless,
        ),
        Row(
            f"a minute of {STREAMS} streams: memory grown after its first third",
            "MB",
            _one(growth),
            {},
            f"at most {FLAT_MEGABYTES:.0f} MB",
            growth <= FLAT_MEGABYTES,
        ),
    ]


def _one(value: float) -> Spread:
    return Spread.of([float(value)])


def _growth(memory: list[float]) -> float:
    if len(memory) < 3:
        return 0.0
    return max(memory[len(memory) * 2 // 3 :]) - statistics.median(
        memory[len(memory) // 3 : len(memory) * 2 // 3]
    )


def _row(what: str, unit: str, values: Values, *goals: tuple[float, str]) -> Row:
    """A row; a goal is at least so many times a peer's median, or with a minus at most."""
    spreads = {name: Spread.of(some) for name, some in values.items() if some and name != "no proxy"}
    ours = spreads.pop(OURS)
    words, reached = [], True
    for times, peer in goals:
        if peer not in spreads:
            continue
        words.append(f"at {'most' if times < 0 else 'least'} {abs(times):g} × {peer}")
        limit = abs(times) * spreads[peer].median
        reached = reached and (ours.median <= limit if times < 0 else ours.median >= limit)
    return Row(what, unit, ours, spreads, " and ".join(words), reached if words else None)


def main() -> int:
    """Measure, print, keep; 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a look, not a measurement")
    parser.add_argument("--only-ours", action="store_true", help="no peers")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        peers = Peers()
        start = Proxies(stack, peers)
        proxies = [start.bare(), start.groundwire(), start.groundwire("code-assist")]
        proxies += [] if arguments.only_ours else start.others()
        found = uvloop.run(measure(proxies, arguments.quick))
    curve = Curve(
        "gateway-over-connections",
        "Requests a second through each proxy",
        "connections",
        "requests/s",
        dict(found.curve),
    )
    measured = not arguments.quick and not arguments.only_ours
    return finish(
        "gateway", rows_of(found), [curve], versions=peers.versions, not_run=peers.not_run, keep=measured
    )


if __name__ == "__main__":
    sys.exit(main())
