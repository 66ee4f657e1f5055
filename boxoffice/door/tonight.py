"""The shows that a door may be opened for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from django.db.models import QuerySet

from inventory.models import Show
from inventory.venue_time import in_venue_time
from jobs.clock import database_now

BEFORE = timedelta(hours=6)
AT_LEAST_AFTER = timedelta(hours=6)  # a show that starts at 23:30 does not end at midnight
AHEAD = timedelta(days=7)


@dataclass(frozen=True)
class DoorShow:
    """A show with its venue. is_tonight: from six hours before its start to the end of its day."""

    show: Show
    is_tonight: bool

    @property
    def when(self) -> str:
        return in_venue_time(instant=self.show.starts_at, zone=self.show.venue.zone)

    @property
    def is_off(self) -> bool:
        """It is postponed or cancelled, and nobody is let in."""
        return self.show.status in (Show.Status.POSTPONED, Show.Status.CANCELLED)


def door_shows() -> list[DoorShow]:
    """Those of tonight and of the week ahead, by their start. Two queries, by ``show_by_start``."""
    now = database_now()
    # A show is of tonight for a day and an hour after its start at most, where a clock is put back.
    shows = _not_drafts().filter(starts_at__gt=now - timedelta(hours=25), starts_at__lt=now + AHEAD)
    known = [DoorShow(show=show, is_tonight=_is_tonight(show, now)) for show in shows.order_by("starts_at", "id")]
    return [each for each in known if each.is_tonight or each.show.starts_at > now]


def door_show(*, show_id: int) -> DoorShow | None:
    """This show, whenever it is; None for a draft. Two queries."""
    show = _not_drafts().filter(pk=show_id).first()
    return DoorShow(show=show, is_tonight=_is_tonight(show, database_now())) if show else None


def is_door_show(*, show_id: int) -> bool:
    """Whether a door may be opened for this show at all. One query."""
    return _not_drafts().filter(pk=show_id).exists()


def tonight(shows: Sequence[DoorShow]) -> list[DoorShow]:
    return [each for each in shows if each.is_tonight]


def _not_drafts() -> QuerySet[Show]:
    return Show.objects.exclude(status=Show.Status.DRAFT).select_related("venue")


def _is_tonight(show: Show, now: datetime) -> bool:
    zone = show.venue.zone
    midnight = datetime.combine(show.starts_at_local.date() + timedelta(days=1), time(), tzinfo=zone)
    return show.starts_at - BEFORE <= now < max(midnight, show.starts_at + AT_LEAST_AFTER)
