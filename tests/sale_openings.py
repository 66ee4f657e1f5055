"""The opening of a sale, the job that waits for it, and what it announces."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet

from inventory.models import Show
from inventory.move_sale_opening import move_sale_opening
from inventory.open_sale import open_sale
from jobs import gates, transitions
from jobs.models import Job
from jobs.session import engine_session

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)


def jobs_of(show: Show, *states: str) -> QuerySet[Job]:
    """The jobs that wait for the show's opening, or did."""
    jobs = Job.objects.filter(task="inventory.open_sale", subject=show.subject).order_by("pk")
    return jobs.filter(state__in=states) if states else jobs


def announcements(show: Show) -> list[str]:
    """Of which openings the show's SaleOpened told."""
    told = Job.objects.filter(task="boxoffice.tell_sale_opened", subject=show.subject).order_by("pk")
    return [job.args["on_sale_at"] for job in told]


def opened(show: Show) -> bool:
    """What the job does, in a transaction of its own."""
    with transaction.atomic():
        return open_sale(show_id=show.pk)


def published(show: Show) -> int:
    """Hand the show's due job out, as a relay does; return its id."""
    engine_session("default")
    gates.open_later(using="default")
    transitions.mark_due(using="default", queue="default", window=1000, batch=1000)
    return jobs_of(show, "published").get().pk


def move(show: Show, to: datetime) -> None:
    move_sale_opening(show_id=show.pk, on_sale_at=to)
