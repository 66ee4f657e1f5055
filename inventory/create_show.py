"""Make a show from a seating plan: its tiers and one row per seat."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _

from inventory.errors import ShowRefused
from inventory.models import PriceTier, SeatingPlan, Show
from inventory.pretix_plan import check_plan

# What visitors expect where a house says nothing else.
DOORS_OPEN_BEFORE_START = timedelta(minutes=30)

# All seats of the plan in one statement: 50,000 of them take about a second, and none of them passes through Python.
# In the order of the plan, so that the order of ids, in which seats are locked, is that of the plan too.
CREATE_SEATS = """
    INSERT INTO inventory_seat
           (show_id, tier_id, guid, zone, "row", number, x, y, position, status, version)
    SELECT %(show_id)s, tier.id, seat ->> 'seat_guid', zone ->> 'name', line ->> 'row_number',
           seat ->> 'seat_number',
           (zone #>> '{position,x}')::float8 + (line #>> '{position,x}')::float8 + (seat #>> '{position,x}')::float8,
           (zone #>> '{position,y}')::float8 + (line #>> '{position,y}')::float8 + (seat #>> '{position,y}')::float8,
           row_number() OVER (ORDER BY zones.nth, lines.nth, seats.nth), 'available', 1
      FROM inventory_seatingplan AS plan
     CROSS JOIN jsonb_array_elements(plan.document -> 'zones') WITH ORDINALITY AS zones (zone, nth)
     CROSS JOIN jsonb_array_elements(zone -> 'rows') WITH ORDINALITY AS lines (line, nth)
     CROSS JOIN jsonb_array_elements(line -> 'seats') WITH ORDINALITY AS seats (seat, nth)
      JOIN inventory_pricetier AS tier ON tier.show_id = %(show_id)s AND tier.category = seat ->> 'category'
     WHERE plan.id = %(plan_id)s
     ORDER BY zones.nth, lines.nth, seats.nth
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
    show = Show(
        venue=plan.venue,
        plan=plan,
        title=title,
        slug=slug or _free_slug(title, starts_at.astimezone(plan.venue.zone)),
        subtitle=subtitle,
        description=description,
        starts_at=starts_at,
        doors_at=doors_at or starts_at - DOORS_OPEN_BEFORE_START,
        on_sale_at=on_sale_at,
        currency=currency,
    )
    categories = check_plan(plan.document).categories
    _check_prices(prices, names={category.name for category in categories})
    try:
        show.full_clean()
    except ValidationError as error:
        raise ShowRefused(" ".join(error.messages)) from None
    with transaction.atomic():
        show.save(force_insert=True)
        PriceTier.objects.bulk_create(
            PriceTier(
                show=show,
                name=category.name,
                category=category.name,
                price=prices[category.name],
                color=category.color,
                position=position,
            )
            for position, category in enumerate(categories, start=1)
        )
        _create_seats(show)
    return show


def _check_prices(prices: Mapping[str, int], *, names: set[str]) -> None:
    if missing := sorted(names - prices.keys()):
        raise ShowRefused(_("Give a price for: %(names)s.") % {"names": ", ".join(missing)})
    if unknown := sorted(prices.keys() - names):
        raise ShowRefused(_("The plan has no seats of: %(names)s.") % {"names": ", ".join(unknown)})
    if any(price < 0 for price in prices.values()):
        raise ShowRefused(_("A price cannot be negative."))


def _create_seats(show: Show) -> None:
    with connection.cursor() as cursor:
        cursor.execute(CREATE_SEATS, {"show_id": show.pk, "plan_id": show.plan_id})
        created = cursor.rowcount
    if created != show.plan.seat_count:
        raise ShowRefused(
            _("The plan has %(expected)d seats but %(created)d could be made. Import the plan again.")
            % {"expected": show.plan.seat_count, "created": created}
        )


def _free_slug(title: str, starts_at: datetime) -> str:
    """Title and date; a second performance on one day gets a number."""
    slug = wanted = f"{slugify(title)[:100] or 'show'}-{starts_at:%Y-%m-%d}"
    performance = 1
    while Show.objects.filter(slug=slug).exists():
        performance += 1
        slug = f"{wanted}-{performance}"
    return slug
