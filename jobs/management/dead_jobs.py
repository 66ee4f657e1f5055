"""What ``replay_dlq`` and ``discard_dlq`` have in common: the filter's options, the look before, and the run.

Nothing changes before all that the filter matches has been looked at. The work is done in short transactions, so an
end at any time leaves each job either dealt with or as it was; the same command then does the rest. Jobs that die
during the run are none of its business, or it would chase its own tail.
"""

from __future__ import annotations

import time
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, InterfaceError

from jobs.clock import database_now
from jobs.dead.bulk import Result
from jobs.dead.instants import Typed, read_instant
from jobs.dead.selection import QUARANTINE_GENERATION, DeadRow, Filter, groups, pages
from jobs.management.interruption import Interruption
from jobs.management.progress import Progress
from jobs.management.which_database import add_database_option
from jobs.redact import for_eyes

BATCH = 200
"""Jobs in one transaction: a fraction of a second, during which their rows are locked."""

SPREAD_SECONDS = 5.0
"""How far ahead of the clock a paced replay goes: no more than one wants to wait for after Ctrl-C."""

MAX_WORDS = 300
"""Characters of an option: a sentence or two, not a report."""

INTERRUPTED = 130
"""The exit status of what was stopped with Ctrl-C, as shells have it."""


class DeadJobsCommand(BaseCommand):
    """A command that does one thing to the dead jobs that a filter matches."""

    done = ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        choose = parser.add_argument_group("which dead jobs (all that are given must hold)")
        choose.add_argument("--job", type=int, nargs="+", action="extend", metavar="ID", help="these numbers")
        choose.add_argument("--task", type=_text, help="this task; tickets.* for all that begin like that")
        choose.add_argument("--cause", type=_text, help="exactly this cause, as the list of dead jobs shows it")
        choose.add_argument("--error", type=_text, help="part of the error or of the reason, in any case")
        choose.add_argument("--queue", type=_text, help="this queue")
        choose.add_argument(
            "--since", type=_instant, help="died at or after: 2026-11-29T18:00+01:00, or an age: 2h, 3d"
        )
        choose.add_argument("--until", type=_instant, help="died at or before; likewise")
        choose.add_argument("--subject", type=_text, help="about this, in full: order:ABCD2345")
        choose.add_argument("--limit", type=_positive, help="the oldest so many of them")
        add_database_option(parser, help="the database whose jobs they are")
        parser.add_argument("--dry-run", action="store_true", help="say what would be done, and change nothing")
        parser.add_argument("--by", type=typed_words, default="", help="who does it; kept in the audit trail")
        parser.add_argument("--reason", type=typed_words, default="", help="why; kept in the audit trail")

    def handle(self, *args: Any, **options: Any) -> None:
        self.progress = Progress(self.stdout, done=self.done)
        self.using: str = options["database"]
        dry_run, by, reason = options["dry_run"], options["by"].strip(), options["reason"].strip()
        if not dry_run and not (by and reason):
            raise CommandError("Say who does this and why: --by and --reason. Or look first, with --dry-run.")
        chosen = self._filter(options, now=database_now(using=self.using))
        total = self._look(chosen, dry_run=dry_run)
        if not dry_run:
            self._run(chosen, total=total, by=by, reason=reason, rate=options.get("rate"))

    def check_fit(self, chosen: Filter) -> None:
        """Raise CommandError if something that is chosen must not be touched."""

    def apply(self, rows: list[DeadRow], *, by: str, reason: str, pause_seconds: float) -> Result:
        """Do it to a batch, in one transaction."""
        raise NotImplementedError

    def quarantined(self, chosen: Filter) -> int:
        """How many jobs the filter matches that are left out."""
        return 0

    def _filter(self, options: dict[str, Any], *, now: datetime) -> Filter:
        for name in ("since", "until"):
            typed: Typed | None = options[name]
            if typed is not None and typed.assumed_zone:
                self.stdout.write(f"--{name} names no time zone; taken as {typed.assumed_zone}.")
        since, until = (options[name] and options[name].seen_from(now) for name in ("since", "until"))
        jobs: list[int] | None = options["job"]
        return Filter(
            job_ids=None if jobs is None else tuple(jobs),
            **{name: options[name] or "" for name in ("task", "cause", "error", "queue", "subject")},
            limit=options["limit"],
            since=since,
            until=min(until or now, now),
            include_quarantined=options.get("include_quarantined", True),
        )

    def _look(self, chosen: Filter, *, dry_run: bool) -> int:
        """Say what is left out and, in a dry run, what is chosen; return how many. Raises CommandError."""
        found = groups(chosen, using=self.using)
        total = sum(group.count for group in found)
        left_out = self.quarantined(chosen)
        if left_out:
            self.stdout.write(
                f"In quarantine, left out: {left_out}. They were replayed {QUARANTINE_GENERATION} times or more and "
                "died each time; --include-quarantined takes them too."
            )
        if not total:
            raise CommandError("No dead job matches; nothing was changed.")
        if dry_run:
            self.stdout.write(f"Would be {self.done}: {_jobs(total)}. Nothing was changed.")
            for group in found:
                more = ", …" if group.count > len(group.first_ids) else ""
                numbers = ", ".join(map(str, group.first_ids)) + more
                self.stdout.write(f"{group.count:>8}  {group.task}  {for_eyes(group.cause)}  ({numbers})")
        self.check_fit(chosen)
        return total

    def _run(self, chosen: Filter, *, total: int, by: str, reason: str, rate: float | None) -> None:
        result = Result()
        self.progress.begin(total)
        try:
            with Interruption() as interruption:
                for rows in _paced(chosen, rate=rate, interruption=interruption, using=self.using):
                    result.add(self.apply(rows, by=by, reason=reason, pause_seconds=1 / rate if rate else 0))
                    self.progress.advance(result.looked_at)
                if interruption.asked and result.looked_at < total:
                    raise KeyboardInterrupt
        except KeyboardInterrupt:
            self.progress.end()
            raise CommandError(
                f"Stopped. {self.done.capitalize()}: {_jobs(result.changed)} of {total}. The others are as they were; "
                "the same command goes on with them.",
                returncode=INTERRUPTED,
            ) from None
        except (DatabaseError, InterfaceError) as error:
            self.progress.end()
            raise CommandError(
                f"Broken off, since the database failed ({type(error).__name__}). {self.done.capitalize()} before: "
                f"{_jobs(result.changed)} of {total}. The batch in hand is done as a whole or not at all; the same "
                "command goes on with the others."
            ) from error
        self.progress.end()
        self._sum_up(result, total=total)

    def _sum_up(self, result: Result, *, total: int) -> None:
        self.stdout.write(f"{self.done.capitalize()}: {_jobs(result.changed)} of {total}.")
        missed = total - result.changed - len(result.refused)  # some before they were read, and some after
        if missed > 0:
            self.stdout.write(f"No longer dead, since somebody else was quicker: {missed}.")
        if result.refused:
            shown = "".join(f"\n  {job_id}: {why}" for job_id, why in result.refused[:10])
            raise CommandError(f"Left as they were: {_jobs(len(result.refused))}.{shown}")


def _paced(chosen: Filter, *, rate: float | None, interruption: Interruption, using: str) -> Iterator[list[DeadRow]]:
    """The chosen jobs in batches until somebody interrupts; with a rate, each when its time has come.

    The jobs of a batch are spread by the database, their batches by this process: whoever stops it has stopped the
    replay, but for the seconds of one batch.
    """
    began, given = time.monotonic(), 0
    size = BATCH if rate is None else min(BATCH, max(1, int(rate * SPREAD_SECONDS)))
    for rows in pages(chosen, size=size, using=using):
        if rate is not None:
            interruption.sleep_until(began + given / rate)
        if interruption.asked:
            return
        yield rows
        given += len(rows)


def _jobs(count: int) -> str:
    return "1 job" if count == 1 else f"{count} jobs"


def _instant(text: str) -> Typed:
    try:
        return read_instant(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def _text(text: str) -> str:
    """Not empty: an unset variable of the shell must not choose everything."""
    if not text.strip():
        raise ArgumentTypeError("It is empty: leave the option out to choose all.")
    return typed_words(text)


def typed_words(text: str) -> str:
    """What PostgreSQL can hold: a shell with another encoding passes bytes that are no text."""
    if "\x00" in text or text != text.encode("utf-8", "replace").decode():
        raise ArgumentTypeError(f"{text!r} is no text in UTF-8.")
    if len(text) > MAX_WORDS:
        raise ArgumentTypeError(f"It is longer than {MAX_WORDS} characters.")
    return text


def _positive(text: str) -> int:
    if not text.isdecimal() or len(text) > 18 or int(text) < 1:  # PostgreSQL counts as far as 19 digits
        raise ArgumentTypeError(f"{text[:30]!r} is no number above 0.")
    return int(text)
