"""Fills the demo's houses with shows, through the same states that fans take seats through."""

from __future__ import annotations

import json
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from django.db import connection, transaction

from inventory.advance_show import advance_show
from inventory.count_free_seats import count_free_seats
from inventory.create_show import create_show
from inventory.demo.parties import seat_parties
from inventory.demo.programme import SHOWS, VENUES, DemoShow, DemoVenue, Sold
from inventory.import_seating_plan import import_seating_plan
from inventory.models import SeatingPlan, Show, Venue
from inventory.pretix_plan import check_plan
from jobs.clock import DatabaseNow, database_now

# Sales opened that long before today, at an hour when people are awake.
ON_SALE_SINCE = timedelta(days=21)
SALE_OPENS_AT = time(10, 0)

# "Few left" on the pages.
SEATS_LEFT_WHEN_NEARLY_ALL = 4
# Of all seats, about, where some is sold.
SHARE_SOLD_WHEN_SOME = 0.45

# Two seeds at once would both find a show missing. Any number that nobody else locks.
SEED_LOCK = 720_451_903


class Prices(NamedTuple):
    """What a house charges for each category of its plan, in the currency's minor unit."""

    currency: str
    amounts: dict[str, int]


def seed_demo() -> int:
    """Create the venues that are missing, and each show that has no performance to come; returns how many shows.

    What exists is left alone, so it can run again at any time, also on a later day when the first shows are over.
    A plan of the same name is taken as it is, whatever this version would make of it. One transaction.
    """
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [SEED_LOCK])
        now = database_now()
        to_come = set(Show.objects.filter(starts_at__gt=DatabaseNow()).values_list("venue__slug", "title"))
        missing = [show for show in SHOWS if (show.venue, show.title) not in to_come]
        for house in VENUES:
            if shows := [show for show in missing if show.venue == house.slug]:
                plan = _plan(house)
                prices = _prices(house, plan)
                for show in shows:
                    _seed_show(show, plan, prices, now)
        return len(missing)


def _plan(house: DemoVenue) -> SeatingPlan:
    venue, _ = Venue.objects.get_or_create(
        slug=house.slug,
        defaults={
            "name": house.name,
            "city": house.city,
            "address": house.address,
            "time_zone": house.time_zone,
        },
    )
    document = house.plan()
    there = SeatingPlan.objects.filter(venue=venue, name=document["name"]).first()
    return there or import_seating_plan(venue=venue, raw=json.dumps(document).encode())


def _seed_show(demo: DemoShow, plan: SeatingPlan, prices: Prices, now: datetime) -> None:
    today = now.astimezone(plan.venue.zone).date()
    opens_in = timedelta(days=demo.opens_in_days) or -ON_SALE_SINCE
    show = create_show(
        plan=plan,
        title=demo.title,
        subtitle=demo.subtitle,
        description=demo.description,
        starts_at=_local(plan.venue, today + timedelta(days=demo.in_days), demo.at),
        on_sale_at=_local(plan.venue, today + opens_in, SALE_OPENS_AT),
        currency=prices.currency,
        prices=dict.fromkeys(prices.amounts, 0) if demo.is_free else prices.amounts,
    )
    advance_show(show_id=show.pk, to=Show.Status.SCHEDULED)
    _sell(show, demo.sold, now)
    count_free_seats(show_id=show.pk)


def _prices(house: DemoVenue, plan: SeatingPlan) -> Prices:
    names = [category.name for category in check_plan(plan.document).categories]
    last = len(house.prices) - 1
    return Prices(house.currency, {name: house.prices[min(place, last)] for place, name in enumerate(names)})


def _local(venue: Venue, day: date, at: time) -> datetime:
    return datetime.combine(day, at, tzinfo=venue.zone)


def _sell(show: Show, sold: Sold, now: datetime) -> None:
    match sold:
        case Sold.NOTHING:
            return
        case Sold.SOME:
            seat_parties(show=show, now=now, share=SHARE_SOLD_WHEN_SOME, choosing=True)
        case Sold.NEARLY_ALL:
            seat_parties(show=show, now=now, leave=SEATS_LEFT_WHEN_NEARLY_ALL)
        case Sold.ALL:
            seat_parties(show=show, now=now)
