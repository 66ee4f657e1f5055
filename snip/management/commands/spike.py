"""``manage.py spike``: ten times the ordinary clicks, on a log and counts of its own. See docs/sizing.md."""

from __future__ import annotations

import signal
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import redis
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from jobs.pooler import is_pooled
from snip.log.streams import stream_names
from snip.spike.arithmetic import Sample
from snip.spike.counters import CounterNotReady, counters_of_spike
from snip.spike.ground import SpikeElsewhere, counted_clicks, is_log_in_use, own_ground
from snip.spike.play import NothingCounted, Player
from snip.spike.tell import Plan, drawn, told
from snip.spike.write import LogFull, Writer

CALIBRATION = 60_000
"""Clicks that the counters count before, to see how many they take in a second."""

LONGEST_SPIKE = 600.0
ROOM = 0.8
"""Of the log's bound, for what a spike may leave."""

LEAD_SECONDS = 5.0


class Command(BaseCommand):
    help = (
        "Plays ten times the ordinary rate of clicks for two minutes, on a log and counts of its own that are gone "
        "afterwards, and draws what waited beside what arithmetic says. It keeps this machine busy."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--rate", type=float, help="clicks a second at ordinary times (by what this machine counts)"
        )
        parser.add_argument("--times", type=float, default=10.0, help="how many times that in the spike (10)")
        parser.add_argument("--seconds", type=float, default=120.0, help="how long the spike lasts (120)")
        parser.add_argument("--counters", type=int, default=1, help="processes that count (1)")
        parser.add_argument("--codes", type=int, default=50, help="links that are clicked on (50)")
        parser.add_argument("--svg", type=Path, metavar="FILE", help="write the drawing there, too")
        parser.add_argument(
            "--beside-real-clicks",
            action="store_true",
            help="play although real clicks are in this Redis: its counters and its redirect become slower meanwhile",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        self._check(options)
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            self._run(options)
        finally:
            signal.signal(signal.SIGTERM, before)

    def _run(self, options: dict[str, Any]) -> None:
        with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=10.0, socket_connect_timeout=10.0) as client:
            streams = stream_names(settings.SNIP_STREAMS)
            if not options["beside_real_clicks"] and is_log_in_use(client=client, streams=streams):
                raise CommandError(
                    "Real clicks are counted on this Redis and database, and a spike would slow that down. Play it "
                    "where nobody clicks, or give --beside-real-clicks."
                )
            try:
                with own_ground(client=client):
                    self._play(client, options)
            except (SpikeElsewhere, NothingCounted, CounterNotReady, LogFull) as fault:
                raise CommandError((type(fault).__doc__ or "").strip()) from fault
            except KeyboardInterrupt:
                self.stdout.write("Broken off. Nothing is left behind.")

    def _check(self, options: dict[str, Any]) -> None:
        if not 0 < options["seconds"] <= LONGEST_SPIKE:
            raise CommandError(f"A spike lasts more than 0 and at most {LONGEST_SPIKE:,.0f} seconds.")
        if not options["times"] > 1 or not 1 <= options["counters"] <= 16 or not 1 <= options["codes"] <= 100_000:
            raise CommandError("More than once the rate, 1 to 16 counters, 1 to 100,000 codes.")
        if options["rate"] is not None and not 1 <= options["rate"] * options["times"] <= 1e6:
            raise CommandError("From one click a second to a million in the spike.")
        if is_pooled("default"):
            raise CommandError("A spike has tables of its own by its sessions' search path: not behind a pooler.")

    def _play(self, client: redis.Redis, options: dict[str, Any]) -> None:
        writer = Writer(client=client, codes=options["codes"], length=settings.SNIP_LOG_LENGTH)
        player = Player(client=client, writer=writer, on_look=self._show)
        counters, database = options["counters"], str(connection.settings_dict["NAME"])
        with counters_of_spike(counters, redis_url=settings.REDIS_URL, database=database):
            capacity = player.capacity(CALIBRATION)
            rate = options["rate"] or _fitting_rate(capacity, times=options["times"], seconds=options["seconds"])
            plan = Plan(rate, options["times"], options["seconds"], capacity, counters)
            self._announce(plan)
            try:
                player.play(rate=rate, times=plan.times, lead=LEAD_SECONDS, seconds=plan.seconds)
            finally:
                if len(player.run.samples) > 1:
                    self._tell(plan, player, options["svg"])
            if player.run.drained:
                player.settle()
        if player.run.drained:
            self.stdout.write(f"Written: {writer.written:,} clicks. In the counts: {counted_clicks():,}.")

    def _announce(self, plan: Plan) -> None:
        left = plan.left()
        if left.backlog > ROOM * settings.SNIP_LOG_LENGTH:
            raise CommandError(
                f"{left.backlog:,.0f} clicks would wait, more than the log has room for. {LogFull.__doc__}"
            )
        who = "One counter takes" if plan.counters == 1 else f"{plan.counters} counters take"
        self.stdout.write(f"{who} {plan.capacity:,.0f} clicks a second here, while nothing else comes.")
        self.stdout.write(
            f"Ordinary times: {plan.rate:,.0f}/s. The spike: {plan.rate * plan.times:,.0f}/s for {plan.seconds:,.0f} s."
        )

    def _show(self, sample: Sample) -> None:
        if self.stdout.isatty():
            self.stdout.write(f"\r{sample.at:6.0f} s {sample.waiting:>12,} wait, {sample.age:6.1f} s ", ending="")
            self.stdout.flush()

    def _tell(self, plan: Plan, player: Player, file: Path | None) -> None:
        self.stdout.write("\n" if self.stdout.isatty() else "")
        for line in told(plan, player.run):
            self.stdout.write(line)
        if file:
            file.write_text(drawn(plan, player.run), encoding="utf-8")


def _fitting_rate(capacity: float, *, times: float, seconds: float) -> float:
    """A fifth of what is counted; less where the spike would leave more than there is room for in the log.

    With ten times as much, the spike brings twice what is counted.
    """
    room = ROOM * settings.SNIP_LOG_LENGTH / 2
    return min(capacity / 5, (capacity + room / seconds) / times)
