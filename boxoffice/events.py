"""What this app announces. ``config/routes.py`` lists the tasks that follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from boxoffice.models.order import subject_of
from jobs.events import Event


@dataclass(frozen=True)
class OrderConfirmed(Event):
    """The seats are sold and the tickets pending."""

    order_id: int
    order_code: str

    def subject(self) -> str:
        return subject_of(code=self.order_code)


@dataclass(frozen=True)
class OrderMoved(Event):
    """Some of its seats are others now, and their tickets pending."""

    order_id: int
    order_code: str

    def subject(self) -> str:
        return subject_of(code=self.order_code)


@dataclass(frozen=True)
class DayEnded(Event):
    """A day is over, YYYY-MM-DD: see ``boxoffice/end_day.py``. Told for each day, late if need be."""

    is_hook: ClassVar[bool] = True

    day: str

    def subject(self) -> str:
        return f"day:{self.day}"


@dataclass(frozen=True)
class DayReconciled(Event):
    """The result of a day, YYYY-MM-DD, is there: ``boxoffice/reconciliation/read_day.py`` reads it. Told each time that
    the day is reconciled.
    """

    is_hook: ClassVar[bool] = True

    day: str

    def subject(self) -> str:
        return f"day:{self.day}"
