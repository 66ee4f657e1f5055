"""Fills the database with so many orders: shows, seats, holds, orders, payments, tickets, files' rows and mails.

What it leaves is what the services leave, once each order was held, placed, paid, confirmed, issued and told; but it
is written by the batch, so a million orders take minutes. Not made are the ledger's jobs, which a done order has lost
after two days, and the files themselves: staff may have one rendered anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import connection, transaction

from boxoffice.messages import tickets_ready
from boxoffice.models import Order
from boxoffice.volume import statements
from boxoffice.volume.house import PRICES, TITLES, VENUE, plan_document, shares, usual_shows
from boxoffice.volume.people import FORENAMES, HOSTS, SURNAMES
from inventory.advance_show import advance_show
from inventory.create_show import create_show
from inventory.import_seating_plan import import_seating_plan
from inventory.models import Show, Venue
from jobs.clock import database_now
from notifications.plan import sending_domain

BATCH = 20_000
"""Orders of one transaction: their rows stay in the memory that PostgreSQL has for one session."""

CURRENCY = "EUR"
AHEAD = timedelta(days=60)
"""The last show, from now."""


class VolumeIsWrong(Exception):
    """What was written does not fit together; the message says where."""


@dataclass(frozen=True)
class Volume:
    """What was made."""

    orders: int
    show_ids: Sequence[int]


def has_real_orders() -> bool:
    """Whether anybody has bought something here that is not made by this module."""
    return Order.objects.exclude(show__venue__slug=VENUE).exists()


def seed_volume(
    *, orders: int, shows: int | None = None, days: int = 60, tell: Callable[[int], None] = lambda done: None
) -> Volume:
    """Make so many paid orders, placed within the last ``days``, for shows from then until AHEAD; return them.

    shows: as many as leave a fifth of the house free when None. tell: is called with how many are done. One
    transaction for each BATCH; what was made before a failure stays and is whole.
    Raises ValueError where the shows have no room for so many, and VolumeIsWrong.
    """
    counts = shares(orders=orders, shows=shows or usual_shows(orders=orders))
    show_ids = _make_shows(count=len(counts), days=days)
    _plan(show_ids=show_ids, counts=counts, orders=orders)
    for after in range(0, orders, BATCH):
        until = min(after + BATCH, orders)
        _sell(after=after, until=until)
        tell(until)
    with transaction.atomic():
        _run(statements.ADD_FREE_SEATS)
        _run(statements.ADD_COUNTS)
    _run(statements.FORGET_PLAN)
    _run(f"ANALYZE {', '.join(statements.WRITTEN)}")
    check(show_ids=show_ids, orders=orders)
    return Volume(orders=orders, show_ids=show_ids)


def tidy() -> None:
    """Let PostgreSQL look at what was written, as it would by itself some time later. Not inside a transaction."""
    _run(f"VACUUM (ANALYZE) {', '.join(statements.WRITTEN)}")


def check(*, show_ids: Sequence[int], orders: int) -> None:
    """Raises VolumeIsWrong unless the rows of these shows fit together: seats, lines, tickets, files, money, mails."""
    with connection.cursor() as cursor:
        cursor.execute(statements.CHECK, {"show_ids": list(show_ids), "orders": orders})
        named = zip([column.name for column in cursor.description or ()], cursor.fetchone() or (), strict=True)
        if wrong := [f"{name}: {count}" for name, count in named if count]:
            raise VolumeIsWrong("; ".join(wrong))


def _make_shows(*, count: int, days: int) -> list[int]:
    now = database_now()
    first, step = now - timedelta(days=days - 1), (AHEAD + timedelta(days=days - 1)) / count
    starts = [first + step * nth for nth in range(1, count + 1)]
    on_sale = [min(start - timedelta(days=days), now - timedelta(days=1)) for start in starts]
    with transaction.atomic():
        model = _model_show()
        show_ids = _run(
            statements.ADD_SHOWS,
            model_id=model.pk,
            titles=[TITLES[nth % len(TITLES)] for nth in range(count)],
            starts=starts,
            on_sale=[max(instant, now - timedelta(days=days)) for instant in on_sale],
        )
        ids = [show_id for (show_id,) in show_ids]
        _run(statements.ADD_TIERS, show_ids=ids, model_id=model.pk)
        _run(statements.ADD_OPENINGS, show_ids=ids)
    return ids


def _model_show() -> Show:
    """A show of the house as the services make it, of which the others are copies. None of its seats are sold."""
    venue, _ = Venue.objects.get_or_create(
        slug=VENUE,
        defaults={"name": "Volume House", "city": "Berlin", "address": "-", "time_zone": "Europe/Berlin"},
    )
    now = database_now()
    show = create_show(
        plan=import_seating_plan(venue=venue, raw=json.dumps(plan_document()).encode()),
        title="Volume",
        starts_at=now + AHEAD + timedelta(days=1),
        on_sale_at=now - timedelta(days=1),
        currency=CURRENCY,
        prices=PRICES,
        slug=f"volume-{Show.objects.filter(venue=venue).count()}-{int(now.timestamp())}",
    )
    advance_show(show_id=show.pk, to=Show.Status.SCHEDULED)
    return show


def _plan(*, show_ids: Sequence[int], counts: Sequence[int], orders: int) -> None:
    model_id = Show.objects.filter(venue__slug=VENUE, title="Volume").order_by("-pk").values_list("pk", flat=True)[0]
    _run(statements.FORGET_PLAN)
    _run(statements.PLAN_SHOWS, show_ids=list(show_ids), counts=list(counts))
    _run(statements.PLAN_SEATS, model_id=model_id)
    _run(statements.PLAN_ORDERS, people=max(orders * 7 // 10, 1))
    _run(statements.PLAN_PEOPLE, forenames=list(FORENAMES), surnames=list(SURNAMES))


def _sell(*, after: int, until: int) -> None:
    with transaction.atomic():
        _run(
            statements.PLAN_BATCH.format(hosts=len(HOSTS)),
            after=after,
            until=until,
            hosts=list(HOSTS),
            forename_count=len(FORENAMES),
            surname_count=len(SURNAMES),
        )
        _run(statements.PLAN_BATCH_SEATS)
        shared = {"currency": CURRENCY, "kind": tickets_ready.KIND, "sending_domain": sending_domain()}
        for sql in statements.BATCH:
            _run(sql, **shared)


def _run(sql: str, **values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall() if cursor.description else []
