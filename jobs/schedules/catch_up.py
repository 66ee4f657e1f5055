"""What happens to due instants that passed while no scheduler was there: pure functions.

Say that a schedule is due each hour, its plan stands at 10:00, and a scheduler looks at it again later:

    now        rule    runs                     next    skipped
    10:00:00   any     10:00                    11:00   0
    10:00:40   any     10:00                    11:00   0        late, but nobody need have been away
    10:05:00   skip    none                     11:00   1        10:00 is more than a minute ago
    10:05:00   once    10:00                    11:00   0
    13:00:30   skip    13:00                    14:00   3        only 13:00 is still recent
    13:20:00   skip    none                     14:00   4
    13:20:00   once    13:00                    14:00   3        one run, for the latest due instant
    13:20:00   all     10:00 11:00 12:00 13:00  14:00   0        in their order
    13:20:00   all     10:00 11:00              12:00   0        with a limit of 2: the rest is still due

Nothing walks through a year's instants to find the latest (``last_until``); ``all`` goes by its limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from jobs.schedules.occurrences import Timing, count_between, last_until, next_after

GRACE = timedelta(seconds=60)
"""A run this late was not missed: another scheduler takes over within 10 s, a restart or a deploy takes some more."""

NOTICED = timedelta(seconds=10)
"""A clock that was put back is noticed within a second, and within ten by a scheduler that takes over just then."""

RUNS_AT_ONCE = 100
"""Runs of one schedule in one go: each is a transaction of a few milliseconds, and other schedules are due as well."""


@dataclass(frozen=True)
class Decision:
    """The runs to enqueue, by their due instants in order; the next plan; and how many instants are left out.

    ``next`` is None when no further instant comes, and is not after now when ``all`` met its limit.
    """

    fire: list[datetime]
    next: datetime | None
    skipped: int


def missed(
    *,
    rule: Literal["skip", "once", "all"] | str,
    due: datetime,
    now: datetime,
    timing: Timing,
    grace: timedelta = GRACE,
    limit: int = RUNS_AT_ONCE,
) -> Decision:
    """Decide what becomes of the plan ``due``, and of all that was due between it and ``now``. All three are aware.

    rule: skip, once or all. limit: the most runs that ``all`` gives at once, 1 at least.
    """
    if due > now:
        return Decision([], due, 0)
    if rule == "all":
        return _each(due=due, now=now, timing=timing, limit=limit)
    if rule not in ("skip", "once"):
        raise ValueError(f"There is no rule {rule!r}: it is skip, once or all.")
    latest = max(due, last_until(timing, now) or due)
    passed_over = count_between(timing, due, latest)
    following = next_after(timing, now)
    if rule == "skip" and now - latest > grace:
        return Decision([], following, passed_over + 1)
    return Decision([latest], following, passed_over)


def replan(timing: Timing, planned: datetime | None, now: datetime) -> datetime | None:
    """The plan after a look at the clock: an earlier instant, if the clock was put back before it.

    In good order ``planned`` is the first due instant after ``now`` already, or is due itself, and stays. Otherwise
    what was due since the clock was put back, and is not noticed before now, is due as well. The instants that come a
    second time have their runs: they are unique in the database.
    """
    if planned is not None and planned <= now:
        return planned
    first = next_after(timing, now)
    if planned is None or first is None or first >= planned:
        return first if planned is None else planned
    return next_after(timing, now - NOTICED)


def _each(*, due: datetime, now: datetime, timing: Timing, limit: int) -> Decision:
    fire: list[datetime] = []
    instant: datetime | None = due
    while instant is not None and instant <= now and len(fire) < limit:
        fire.append(instant)
        instant = next_after(timing, instant)
    return Decision(fire, instant, 0)
