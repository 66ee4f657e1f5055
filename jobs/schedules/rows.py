"""The periodic tasks as staff have them, of which one that cannot be read must not hide the others (I6)."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.core.exceptions import ValidationError
from django.db import DataError
from django_celery_beat.models import PeriodicTask

WITH_TIMING = ("interval", "crontab", "clocked", "solar")


@dataclass(frozen=True)
class Unreadable:
    """A row that holds what no Python object does, such as a time zone that this machine does not know."""

    pk: int
    name: str
    why: str


@dataclass(frozen=True)
class Rows:
    """All periodic tasks, each with its timing and its plan, if it has one."""

    tasks: list[PeriodicTask]
    unreadable: list[Unreadable] = field(default_factory=list)


def read_rows() -> Rows:
    """Read them. One query, and one more for each of them only where one cannot be read."""
    rows = PeriodicTask.objects.select_related(*WITH_TIMING, "ledger")
    try:
        return Rows(list(rows))
    except (DataError, ValidationError, ValueError):
        read = Rows([])
    for pk, name in PeriodicTask.objects.order_by("pk").values_list("pk", "name"):
        try:
            read.tasks.extend(rows.filter(pk=pk))
        except (DataError, ValidationError, ValueError) as error:
            words = "; ".join(error.messages) if isinstance(error, ValidationError) else str(error)
            read.unreadable.append(Unreadable(pk, name, words))
    return read
