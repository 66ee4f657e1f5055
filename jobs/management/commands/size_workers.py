"""``manage.py size_workers``: how many workers a stream of jobs needs, and what a spike leaves. See docs/sizing.md."""

from __future__ import annotations

import math
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from jobs.queues import all_pools
from jobs.sizing import BUSY, Load, Sizing, size


class Command(BaseCommand):
    help = "Says how many workers a stream of jobs needs, and how long a spike is felt. It changes nothing."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--rate", type=float, required=True, help="jobs a second at ordinary times")
        parser.add_argument("--service-ms", type=float, required=True, help="milliseconds that a job takes of a worker")
        parser.add_argument("--limit", type=float, help="jobs a second that the provider takes")
        parser.add_argument("--spike-rate", type=float, default=0.0, help="jobs a second in a spike")
        parser.add_argument("--spike-s", type=float, default=0.0, help="seconds that the spike lasts")
        parser.add_argument("--places", type=int, help="jobs that there are workers for at once, to see what they do")
        parser.add_argument("--pool", default="messages", help="whose workers are counted (messages)")
        parser.add_argument("--share", type=float, default=1.0, help="part of them that these jobs may keep busy (1)")

    def handle(self, *args: Any, pool: str, share: float, **options: Any) -> None:
        each = next((known.concurrency for known in all_pools() if known.name == pool), None)
        if each is None:
            raise CommandError(f"There is no pool {pool}. There are {', '.join(known.name for known in all_pools())}.")
        if not 0 < share <= 1:
            raise CommandError("The share must be more than 0, and at most 1.")
        if bool(options["spike_rate"]) != bool(options["spike_s"]):
            raise CommandError("A spike has a rate and seconds: give both.")
        try:
            load = Load(
                rate=options["rate"],
                service_seconds=options["service_ms"] / 1000,
                limit=options["limit"],
                spike_rate=options["spike_rate"],
                spike_seconds=options["spike_s"],
                places=options["places"],
            )
        except ValueError as error:
            raise CommandError(str(error)) from error
        for line in _told(load, size(load), pool=pool, jobs_of_a_worker=each * share):
            self.stdout.write(line)


def _told(load: Load, found: Sizing, *, pool: str, jobs_of_a_worker: float) -> Iterator[str]:
    def workers(places: int) -> str:
        count = math.ceil(places / jobs_of_a_worker)
        return (
            f"{count:,} worker{'s' if count != 1 else ''} of the pool {pool}, {jobs_of_a_worker:g} of these jobs each"
        )

    ordinary = f"At {_number(load.rate)}/s, {_number(load.service_seconds * 1000)} ms each"
    yield f"{ordinary}: {found.in_hand:,.1f} jobs in hand at once (Little's law)."
    yield f"To be busy for {BUSY:.0%} of the time at most: {_places(found.needed)}. {workers(found.needed)}."
    if load.limit is not None:
        useful = found.useful or 1
        use = "uses" if useful == 1 else "use"
        yield f"The provider takes {_number(load.limit)}/s: {_places(useful)} {use} that up. {workers(useful)}."
        yield "More workers than that do not send faster: they wait for their turn, and hold connections meanwhile."
    yield f"With {_places(found.places)}, {_number(found.capacity)}/s leave."
    if load.rate >= found.capacity:
        yield "At ordinary times as much arrives as leaves, or more: what waits is never worked off."
    if load.spike_rate and load.spike_seconds:
        yield from _of_the_spike(load, found)


def _of_the_spike(load: Load, found: Sizing) -> Iterator[str]:
    spike = f"A spike of {_number(load.spike_rate)}/s for {_time(load.spike_seconds)}"
    if not found.backlog:
        yield f"{spike} leaves nothing behind."
        return
    yield f"{spike} leaves {found.backlog:,.0f} jobs waiting."
    yield f"The newest of them starts {_time(found.newest_waits)} after it came."
    if math.isinf(found.drained_after):
        yield "They are never worked off."
    else:
        after = _time(found.drained_after)
        yield f"With {_number(load.rate)}/s arriving meanwhile, nothing waits any more after {after}."


def _places(count: int) -> str:
    return f"{count:,} place{'s' if count != 1 else ''}"


def _number(value: float) -> str:
    """In the form that people write: a million with its zeros, where ``g`` has an exponent; a third with two digits."""
    return f"{value:,.2f}".rstrip("0").rstrip(".") if value >= 1 else f"{value:.3g}"


def _time(seconds: float) -> str:
    if seconds >= 2 * 3600:
        return f"{seconds / 3600:,.1f} h"
    return f"{seconds / 60:,.3g} min" if seconds >= 120 else f"{seconds:,.3g} s"
