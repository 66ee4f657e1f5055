"""``manage.py replay_dlq``: dead jobs start over, once their cause is mended. See docs/dead-letters.md."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError

from django.core.management.base import CommandError

from jobs.dead.bulk import Result, replay_batch
from jobs.dead.fit import Misfit, find_misfits
from jobs.dead.selection import QUARANTINE_GENERATION, DeadRow, Filter, count_quarantined
from jobs.management.dead_jobs import DeadJobsCommand

SLOWEST, FASTEST = 0.001, 100_000.0
"""Jobs a second: one in a quarter of an hour, and more than any relay hands out."""


class Command(DeadJobsCommand):
    help = (
        "Starts dead jobs over, oldest first, with their idempotency keys kept. If anything that the filter matches "
        "does not fit today's code, nothing is changed."
    )
    done = "replayed"

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--rate", type=_rate, help="at most so many jobs a second; Ctrl-C stops")
        parser.add_argument(
            "--include-quarantined",
            action="store_true",
            help=f"also those that were replayed {QUARANTINE_GENERATION} times or more",
        )

    def quarantined(self, chosen: Filter) -> int:
        return 0 if chosen.include_quarantined else count_quarantined(chosen, using=self.using)

    def check_fit(self, chosen: Filter) -> None:
        misfits = find_misfits(chosen, using=self.using)
        if misfits:
            listed = "\n".join(_line(misfit) for misfit in misfits)
            raise CommandError(
                f"These do not fit today's code, and nothing was changed:\n{listed}\n"
                "Deploy the code that can run them, leave them out by the filter, or discard them (discard_dlq)."
            )

    def apply(self, rows: list[DeadRow], *, by: str, reason: str, pause_seconds: float) -> Result:
        return replay_batch(rows, by=by, reason=reason, pause_seconds=pause_seconds, using=self.using)


def _line(misfit: Misfit) -> str:
    jobs = misfit.jobs
    more = ", …" if jobs.count > len(jobs.first_ids) else ""
    return f"{jobs.count:>8}  {jobs.task}  ({', '.join(map(str, jobs.first_ids))}{more})  {misfit.why}"


def _rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = 0.0
    if not SLOWEST <= rate <= FASTEST:
        raise ArgumentTypeError(f"{text[:30]!r} is no number of jobs a second from {SLOWEST} to {FASTEST:.0f}.")
    return rate
