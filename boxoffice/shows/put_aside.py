"""Putting seats of a show aside because staff say so, and back on sale."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.db import transaction

from boxoffice.models import ShowAction
from boxoffice.shows.errors import NothingPutAside, NothingPutBack
from boxoffice.shows.trail import write_show_action
from inventory.block_places import Area, block_places, unblock_places
from inventory.block_seats import block_seats, unblock_seats
from inventory.models import Seat
from jobs.audit import require_reason


def put_aside(*, show_id: int, seen: Mapping[int, int], by: str, reason: str) -> list[Seat]:
    """Take free seats off the sale; returns those that are, in the order of the plan. One transaction.

    seen: the version of each seat as the page showed it. What is held or sold, or has changed since, stays as it is.
    by, reason: kept in the show's trail.
    Raises ReasonMissing, NothingPutAside where no seat was changed, and from inventory UnknownShow, TransitionRefused.
    """
    return _change(block_seats, ShowAction.Action.BLOCK, NothingPutAside, show_id, seen, by, reason)


def put_back(*, show_id: int, seen: Mapping[int, int], by: str, reason: str) -> list[Seat]:
    """Put seats that are aside on sale again; otherwise as ``put_aside``. Raises NothingPutBack for none."""
    return _change(unblock_seats, ShowAction.Action.UNBLOCK, NothingPutBack, show_id, seen, by, reason)


def put_places_aside(*, show_id: int, area: Area, count: int, aside: int, by: str, reason: str) -> set[int]:
    """Take so many places of an area without numbers off the sale, all or none; returns their ids. One transaction.

    aside: how many of the area were aside on the page: pressed twice it is done once. by, reason: kept in the show's
    trail. Raises ReasonMissing, NothingPutAside for no place at all, and from inventory UnknownShow,
    TransitionRefused, AreaHasChanged, NotEnoughPlaces.
    """
    return _change_places(
        block_places, ShowAction.Action.BLOCK, NothingPutAside, show_id, area, count, aside, by, reason
    )


def put_places_back(*, show_id: int, area: Area, count: int, aside: int, by: str, reason: str) -> set[int]:
    """Put places that are aside on sale again; otherwise as ``put_places_aside``. Raises NothingPutBack for none."""
    return _change_places(
        unblock_places, ShowAction.Action.UNBLOCK, NothingPutBack, show_id, area, count, aside, by, reason
    )


def _change_places(
    service: Callable[..., set[int]],
    action: ShowAction.Action,
    none: type[NothingPutAside],
    show_id: int,
    area: Area,
    count: int,
    aside: int,
    by: str,
    reason: str,
) -> set[int]:
    require_reason(by=by, reason=reason)
    if count < 1:
        raise none
    with transaction.atomic():
        changed = service(show_id=show_id, zone=area.zone, tier_id=area.tier_id, count=count, aside=aside)
        details = {"area": area.name, "places": count}
        write_show_action(show_id=show_id, action=action, by=by, reason=reason, details=details)
    return changed


def _change(
    service: Callable[..., set[int]],
    action: ShowAction.Action,
    none: type[NothingPutAside],
    show_id: int,
    seen: Mapping[int, int],
    by: str,
    reason: str,
) -> list[Seat]:
    require_reason(by=by, reason=reason)
    with transaction.atomic():
        changed = service(show_id=show_id, seen=seen)
        if not changed:
            raise none
        seats = list(Seat.objects.filter(pk__in=changed).select_related("tier").order_by("position"))
        details = {"seats": [seat.label or seat.tier.name for seat in seats]}
        write_show_action(show_id=show_id, action=action, by=by, reason=reason, details=details)
    return seats
