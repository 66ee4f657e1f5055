"""What a periodic job is. The table of all is ``config/schedule.py``.

The table is where a schedule comes from; what holds is django-celery-beat's row, which staff may edit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings

from jobs.queues import WrongTable

DUE_AT = "<due at>"
"""As the value of an argument: the instant that the run was due at, in ISO format."""

CatchUp = Literal["skip", "once", "all"]


@dataclass(frozen=True)
class Periodic:
    """One periodic job.

    name: unique; what staff see. task: a name of the task table. why: a sentence for staff.
    every: due at all multiples of this since 1 January 1970, UTC; so all processes agree, and a restart moves nothing.
    cron: due by the wall clock of ``zone``; five fields (minute, hour, day of month, month, day of week) in Celery's
        crontab notation. Either this or ``every``.
    catch_up: what happens to due times at which no scheduler ran: ``skip`` leaves them out, ``once`` makes one run of
        them, ``all`` makes each.
    args: the task's keyword arguments. priority: 0 to 9; the queue's when None.
    """

    name: str
    task: str
    why: str
    every: timedelta | None = None
    cron: str = ""
    zone: str = "UTC"
    catch_up: CatchUp = "once"
    args: Mapping[str, Any] = field(default_factory=dict)
    priority: int | None = None

    def __post_init__(self) -> None:
        if (self.every is None) == (not self.cron):
            raise WrongTable(f"Periodic job {self.name}: give either every or cron.")
        if self.every is not None and (self.every < timedelta(seconds=1) or self.every.microseconds):
            raise WrongTable(f"Periodic job {self.name}: every must be a number of whole seconds, 1 or more.")
        if self.cron and len(self.cron.split()) != 5:
            raise WrongTable(f"Periodic job {self.name}: cron must have five fields.")
        if self.catch_up not in ("skip", "once", "all"):
            raise WrongTable(f"Periodic job {self.name}: catch_up must be skip, once or all.")
        if self.priority is not None and not 0 <= self.priority <= 9:
            raise WrongTable(f"Periodic job {self.name}: its priority must lie between 0 and 9.")
        try:
            ZoneInfo(self.zone)
        except (ZoneInfoNotFoundError, ValueError):
            raise WrongTable(f"Periodic job {self.name}: {self.zone} is not a time zone.") from None


def all_periodic() -> tuple[Periodic, ...]:
    """The periodic jobs of this installation, in the table's order."""
    return tuple(settings.LEDGER_SCHEDULE)
