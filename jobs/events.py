"""Going up the layers: an app announces what happened, and a table says which tasks follow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import ClassVar

from django.conf import settings

from jobs.enqueue import enqueue
from jobs.enqueue_many import enqueue_many
from jobs.errors import UnknownEvent
from jobs.new_job import NewJob


@dataclass(frozen=True)
class Event:
    """Something that happened, told in the past tense. Its fields, as JSON, are the arguments of the tasks.

    is_hook: told whether or not a task follows yet. Any other event without one is taken for a slip in the table.
    """

    is_hook: ClassVar[bool] = False

    def subject(self) -> str:
        """What the event is about, such as ``order:ABC``; the jobs carry it."""
        return ""

    def ordering_key(self) -> str:
        """The key under which its jobs run one after the other, in the order of publishing; empty for no order."""
        return ""

    @classmethod
    def name(cls) -> str:
        """The app's label and the class: ``boxoffice.OrderConfirmed``."""
        return f"{cls.__module__.partition('.')[0]}.{cls.__name__}"


def publish(event: Event, *, using: str = "default") -> list[int]:
    """Insert one job for each task that the route table lists for ``event``; return their ids.

    Raises NotInTransaction outside a transaction (I1) and UnknownEvent for an event without a route.
    """
    return [
        enqueue(task=task, args=asdict(event), subject=event.subject(), ordering_key=event.ordering_key(), using=using)
        for task in _tasks_of(event)
    ]


def publish_many(events: Iterable[Event], *, using: str = "default") -> list[int]:
    """What one ``publish`` after the other would do, in the few statements of ``enqueue_many``, within its bounds."""
    jobs = [
        NewJob(task=task, args=asdict(event), subject=event.subject(), ordering_key=event.ordering_key())
        for event in events
        for task in _tasks_of(event)
    ]
    return enqueue_many(jobs, using=using)


def _tasks_of(event: Event) -> Sequence[str]:
    tasks: Sequence[str] | None = settings.LEDGER_EVENTS.get(event.name())
    if tasks is None:
        raise UnknownEvent(f"{event.name()} is not in the event table of config/routes.py.")
    return tasks
