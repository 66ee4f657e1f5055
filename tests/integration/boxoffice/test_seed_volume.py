"""The volume is what the services leave: each row is compared with one that they made, column by column."""

from __future__ import annotations

import uuid
from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, models, transaction

from boxoffice.confirm_order import confirm_order
from boxoffice.models import Order, OrderLine, OrderWord, Payment
from boxoffice.payments import transitions as payments
from boxoffice.search.find_orders import find_orders
from boxoffice.tell_tickets import plan_tickets_mail
from boxoffice.volume.house import MOST_ORDERS, PARTIES, SEATS, shares
from boxoffice.volume.seed import Volume, VolumeIsWrong, check, seed_volume
from inventory.hold_seats import hold_seats
from inventory.models import Availability, Hold, PlanPlace, Seat, Show
from jobs.clock import database_now
from notifications import transitions as mails
from notifications.models import Notification
from tests.fixtures_boxoffice import place
from tickets.issue_tickets import issue_tickets
from tickets.models import Ticket, TicketDocument

ORDERS = 40

# What is drawn, numbered, or named after whoever bought: told by its kind, not by its value.
OF_ITS_OWN = {
    "id", "token", "code", "order", "order_id", "order_code", "hold", "hold_id", "seat", "seat_id", "show", "show_id",
    "tier", "tier_id", "name", "email", "holder_name", "language", "guid", "row", "number", "x", "y", "position",
    "recipient", "subject", "message_id", "idempotency_key", "provider_id", "intent_id", "page_url", "request",
    "sha256", "size", "storage_name", "tier_name",
}  # fmt: skip


@pytest.fixture
def volume(transactional_db: None) -> Volume:
    """Two shows with forty orders between them."""
    return seed_volume(orders=ORDERS, shows=2)


def row(record: models.Model) -> dict[str, Any]:
    """Its columns: what is of its own by its type, instants by whether they are there, lists by their length."""
    told: dict[str, Any] = {}
    for field in record._meta.concrete_fields:
        value = getattr(record, field.attname)
        if field.name in OF_ITS_OWN or isinstance(value, datetime | uuid.UUID):
            told[field.name] = type(value).__name__ if value != "" else "empty"
        else:
            told[field.name] = len(value) if isinstance(value, list) else value
    return told


def rows_of(order: Order) -> dict[str, list[dict[str, Any]]]:
    """All rows that a sale has left, by their table."""
    seats = [line.seat_id for line in OrderLine.objects.filter(order=order)]
    kept: dict[str, list[models.Model]] = {
        "order": [Order.objects.get(pk=order.pk)],
        "hold": [Hold.objects.get(pk=order.hold_id)],
        "seats": list(Seat.objects.filter(pk__in=seats).order_by("position")),
        "lines": list(OrderLine.objects.filter(order=order).order_by("seat__position")),
        "payments": list(Payment.objects.filter(order=order)),
        "tickets": list(Ticket.objects.filter(order_id=order.pk).order_by("seat__position")),
        "document": list(TicketDocument.objects.filter(order_id=order.pk)),
        "mails": list(Notification.objects.filter(subject=order.subject)),
    }
    return {name: [row(record) for record in records] for name, records in kept.items()}


def sold_by_the_services(like: Order) -> Order:
    """The same seats, as many of the same prices, of the next show: held, placed, paid, confirmed, issued and told."""
    free = Seat.objects.filter(status=Seat.Status.AVAILABLE, show__status="scheduled").order_by("show", "position")
    wanted = list(OrderLine.objects.filter(order=like).values_list("tier_name", flat=True))
    show_id = free.filter(tier__name=wanted[0]).values_list("show_id", flat=True)[0]
    seats = free.filter(show_id=show_id, tier__name=wanted[0]).values_list("pk", flat=True)[: len(wanted)]
    order = place(hold_seats(show_id=show_id, seat_ids=list(seats)))
    payment = Payment.objects.create(
        order=order, amount=order.total, currency=order.currency, idempotency_key="payment-1", request={"mode": "x"}
    )
    payments.note_session(payment_id=payment.pk, provider_id="cs_1", page_url="https://pay.example/1")
    payments.succeed(payment_id=payment.pk, provider_id="cs_1", intent_id="pi_1")
    confirm_order(order_id=order.pk)
    issue_tickets(order_id=order.pk)
    with transaction.atomic():
        plan_tickets_mail(order_id=order.pk)
    mail = Notification.objects.get(subject=order.subject)
    mails.begin_attempt(notification_id=mail.pk)
    mails.mark_sent(notification_id=mail.pk)
    return order


def test_each_row_of_the_volume_is_as_the_services_leave_it(volume: Volume, ticket_files: Path) -> None:
    seeded = Order.objects.exclude(lines__tier_name="Back").order_by("pk")[0]
    sold = sold_by_the_services(seeded)
    ours, theirs = rows_of(seeded), rows_of(sold)
    assert {name: len(rows) for name, rows in ours.items()} == {name: len(rows) for name, rows in theirs.items()}
    for name, rows in theirs.items():
        assert ours[name] == rows, name
    assert OrderWord.objects.filter(order_id=seeded.pk, word=seeded.email).exists()
    assert find_orders(text=seeded.code).hits[0].order_id == seeded.pk
    assert seeded.pk in [hit.order_id for hit in find_orders(text=seeded.email).hits]


def test_shows_seats_and_counts_are_as_those_of_a_show_that_was_created(volume: Volume) -> None:
    model = Show.objects.exclude(pk__in=volume.show_ids).get()
    for show in Show.objects.filter(pk__in=volume.show_ids):
        assert row(show) | {"title": "", "slug": "", "status": "", "version": ""} == row(model) | {
            "title": "", "slug": "", "status": "", "version": ""
        }  # fmt: skip
        columns = ("guid", "zone", "row", "number", "x", "y", "position", "tier__name", "tier__price")
        seats = Seat.objects.order_by("id").values_list(*columns)
        assert list(seats.filter(show=show)) == list(seats.filter(show=model))
        counted = Availability.objects.get(show=show)
        assert (counted.free, counted.total) == (show.seats.filter(status="available").count(), SEATS)
        assert show.sale_openings.count() == 1
    assert PlanPlace.objects.count() == SEATS
    assert Order.objects.filter(placed_at__gt=database_now()).count() == 0


def test_what_does_not_fit_together_is_told(volume: Volume) -> None:
    check(show_ids=volume.show_ids, orders=ORDERS)
    order = Order.objects.order_by("pk")[0]
    Ticket.objects.filter(order_id=order.pk).delete()
    Notification.objects.filter(subject=order.subject).update(recipient="else@example.org")
    with pytest.raises(VolumeIsWrong) as refused:
        check(show_ids=volume.show_ids, orders=ORDERS + 1)
    assert str(refused.value).split("; ") == [
        "orders whose tickets are not their lines: 1",
        "orders without their mail: 1",
        "orders that are missing: 1",
    ]


def test_it_refuses_to_run_beside_real_orders_and_says_how_long_it_took(
    transactional_db: None, held_seats: Hold
) -> None:
    place(held_seats)
    with pytest.raises(CommandError, match="real orders"):
        call_command("seed_volume", "--orders", "5")
    assert Order.objects.count() == 1
    said = StringIO()
    call_command("seed_volume", "--orders", "5", "--yes", stdout=said)
    assert Order.objects.count() == 6
    assert "Made 5 orders for 1 shows in " in said.getvalue()
    with pytest.raises(CommandError, match="at least 3 shows"):
        call_command("seed_volume", "--orders", str(2 * MOST_ORDERS + 1), "--shows", "2", "--yes")


def test_a_second_volume_stands_beside_the_first(transactional_db: None) -> None:
    seed_volume(orders=10)
    seed_volume(orders=10)
    assert Order.objects.count() == 20
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_tables WHERE tablename LIKE 'volume_%%'")
        assert cursor.fetchone() == (0,)


@pytest.mark.parametrize(("orders", "shows"), [(0, 1), (1, 1), (1_000, 3), (MOST_ORDERS * 2, 2), (1_000_000, 2_500)])
def test_shows_share_the_orders_and_none_has_more_than_its_seats(orders: int, shows: int) -> None:
    counts = shares(orders=orders, shows=shows)
    assert (sum(counts), len(counts)) == (orders, shows)
    assert all(0 <= count <= MOST_ORDERS for count in counts)
    assert MOST_ORDERS // len(PARTIES) * sum(PARTIES) <= SEATS
