"""Prometheus's alerts on periodic jobs: nobody ticks, or one schedule does not get its runs.

A run is late never before a minute, sooner for what runs often, and after ten minutes at most.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import pairwise

from celery.schedules import crontab

from deploy.derived.alert import LEDGER_AWAY, Alert
from jobs.periodic import Periodic

TICK_SECONDS = 60.0
"""Another beat takes over within ten seconds; sixty are more than any restart."""

SHORTEST_SECONDS = 60.0
"""Longer than another beat takes to take over, and than a minute's scrape is old."""

LONGEST_SECONDS = 600.0

ALWAYS = (
    Alert(
        "NoTick",
        f"jobs_scheduler_tick_age_seconds > {TICK_SECONDS:g}",
        "0m",
        "page",
        "No beat has ticked for {{ $value | humanizeDuration }}: no periodic job starts.",
        "Start one, or kill the one that hangs; docs/schedules.md, when no beat ticks. What was missed is made up for "
        "by each schedule's rule.",
    ),
    Alert(
        "NobodyTellsOfTheTick",
        f"absent(jobs_scheduler_tick_age_seconds) unless on () ({LEDGER_AWAY})",
        "1m",
        "page",
        "Nobody says whether a beat ticks.",
        "No web process and no relay is scraped, or METRICS_TOKEN has changed: Prometheus's page of its targets says "
        "which. Nothing else is watched meanwhile.",
    ),
    Alert(
        "FewBeats",
        "jobs_scheduler_beats < 2",
        "15m",
        "info",
        "{{ $value }} beats live: nobody would take over from the one that ticks.",
        "Run two, on two machines. Without any, NoTick says so.",
    ),
    Alert(
        "ScheduleBroken",
        "jobs_schedule_broken == 1",
        "1m",
        "ticket",
        "The schedule {{ $labels.schedule }} cannot be enqueued as it stands.",
        "Its page in the admin says why: a task, arguments or a time that staff have entered.",
    ),
    Alert(
        "ScheduledRunDied",
        "jobs_schedule_last_run_dead == 1",
        "1m",
        "ticket",
        "The last run of the schedule {{ $labels.schedule }} is dead.",
        "Look at the job in the admin, mend the cause, replay it; or wait for the next run, if that is soon.",
    ),
)


def late(schedule: Sequence[Periodic]) -> Alert:
    """The alert on schedules whose run is due and is not enqueued, though a beat ticks.

    Those of the table by their own intervals, those that staff have made by the longest patience.
    """
    names: dict[float, list[str]] = {}
    for periodic in schedule:
        names.setdefault(seconds_until_late(periodic), []).append(periodic.name)
    listed = [_later_than(seconds, f'schedule=~"{_any_of(names[seconds])}"') for seconds in sorted(names)]
    others = [f'schedule!~"{_any_of([periodic.name for periodic in schedule])}"'] if schedule else []
    expression = " or ".join([*listed, _later_than(LONGEST_SECONDS, *others)])
    return Alert(
        "ScheduleLate",
        f"({expression}) unless on (database) (jobs_scheduler_tick_age_seconds > {TICK_SECONDS:g})",
        "1m",
        "ticket",
        "A beat ticks, but a run of {{ $labels.schedule }} has been due for {{ $value | humanizeDuration }}.",
        "Beat's log says why it cannot be enqueued, at schedule_not_enqueued.",
    )


def _later_than(seconds: float, *matchers: str) -> str:
    selected = f"{{{', '.join(matchers)}}}" if matchers else ""
    return f"jobs_schedule_late_seconds{selected} > {seconds:g}"


def _any_of(names: Sequence[str]) -> str:
    """A regular expression, which Prometheus holds against whole labels, as it stands between its quotes."""
    escaped = [re.sub(r"([\\^$.|?*+()\[\]{}])", r"\\\1", name) for name in sorted(names)]
    return json.dumps("|".join(escaped), ensure_ascii=False)[1:-1]


def seconds_until_late(periodic: Periodic) -> float:
    """How long its next run may be overdue: as long as the shortest time between two runs, within those bounds."""
    return min(max(_interval_seconds(periodic), SHORTEST_SECONDS), LONGEST_SECONDS)


def _interval_seconds(periodic: Periodic) -> float:
    """Of a cron line, by its minutes alone: an hour is longer than the longest patience."""
    if periodic.every is not None:
        return periodic.every.total_seconds()
    minutes = sorted(crontab(minute=periodic.cron.split()[0]).minute)
    return 60.0 * min(later - earlier for earlier, later in pairwise([*minutes, minutes[0] + 60]))
