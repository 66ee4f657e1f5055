"""Make a show from a seating plan: its tiers and one row per seat."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _

from inventory.count_free_seats import count_free_seats
from inventory.errors import ShowRefused
from inventory.models import PriceTier, Seat, SeatingPlan, Show
from inventory.pretix_plan import Plan, check_plan

# What visitors expect where a house says nothing else.
DOORS_OPEN_BEFORE_START = timedelta(minutes=30)

# In the order of the plan, so that the order of ids, in which seats are locked, is that of the plan too. COPY takes
# 50,000 seats in under half a second.
COPY_SEATS = """
    COPY inventory_seat (show_id, tier_id, guid, zone, "row", number, x, y, position, status, version) FROM STDIN
"""


def create_show(
    *,
    plan: SeatingPlan,
    title: str,
    starts_at: datetime,
    on_sale_at: datetime,
    currency: str,
    prices: Mapping[str, int],
    doors_at: datetime | None = None,
    subtitle: str = "",
    description: str = "",
    slug: str = "",
) -> Show:
    """A draft of a show in the plan's venue with a tier per category and a seat per place. One transaction.

    ``prices`` gives for each category of the plan that has seats its price in the currency's minor unit. Instants
    carry a time zone. The doors open DOORS_OPEN_BEFORE_START unless said otherwise; ``slug`` is made of title and
    date. Raises ShowRefused, saying what to correct; nothing is created then.
    """
    doors_at = doors_at or starts_at - DOORS_OPEN_BEFORE_START
    _check_instants(starts_at, on_sale_at, doors_at)
    show = Show(
        venue=plan.venue,
        plan=plan,
        title=title,
        slug=slug or _free_slug(title, starts_at.astimezone(plan.venue.zone)),
        subtitle=subtitle,
        description=description,
        starts_at=starts_at,
        doors_at=doors_at,
        on_sale_at=on_sale_at,
        currency=currency,
    )
    layout = check_plan(plan.document)
    _check_prices(prices, names={category.name for category in layout.categories})
    try:
        show.full_clean()
    except ValidationError as error:
        raise ShowRefused(" ".join(error.messages)) from None
    with transaction.atomic():
        show.save(force_insert=True)
        tiers = PriceTier.objects.bulk_create(
            PriceTier(
                show=show,
                name=category.name,
                category=category.name,
                price=prices[category.name],
                color=category.color,
                position=position,
                wheelchair=category.wheelchair,
            )
            for position, category in enumerate(layout.categories, start=1)
        )
        _copy_seats(show, layout, {tier.category: tier.pk for tier in tiers})
        count_free_seats(show_id=show.pk)
    return show


def _check_instants(*instants: datetime) -> None:
    if any(instant.tzinfo is None for instant in instants):
        raise ShowRefused(_("Give every instant with its time zone."))


def _check_prices(prices: Mapping[str, int], *, names: set[str]) -> None:
    if missing := sorted(names - prices.keys()):
        raise ShowRefused(_("Give a price for: %(names)s.") % {"names": ", ".join(missing)})
    if unknown := sorted(prices.keys() - names):
        raise ShowRefused(_("The plan has no seats of: %(names)s.") % {"names": ", ".join(unknown)})
    if any(price < 0 for price in prices.values()):
        raise ShowRefused(_("A price cannot be negative."))


def _copy_seats(show: Show, layout: Plan, tier_ids: Mapping[str, int]) -> None:
    with connection.cursor() as cursor, cursor.cursor.copy(COPY_SEATS) as copy:
        for position, seat in enumerate(layout.seats(), start=1):
            copy.write_row(
                (
                    show.pk,
                    tier_ids[seat.category],
                    seat.guid,
                    seat.zone,
                    seat.row,
                    seat.number,
                    seat.x,
                    seat.y,
                    position,
                    Seat.Status.AVAILABLE.value,
                    1,
                )
            )


def _free_slug(title: str, starts_at: datetime) -> str:
    """Title and date; a second performance on one day gets a number."""
    slug = wanted = f"{slugify(title)[:100] or 'show'}-{starts_at:%Y-%m-%d}"
    performance = 1
    while Show.objects.filter(slug=slug).exists():
        performance += 1
        slug = f"{wanted}-{performance}"
    return slug
