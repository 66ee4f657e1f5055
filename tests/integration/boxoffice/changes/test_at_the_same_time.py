"""Two people, or a job, change the same order at the same moment: one after the other, or one is refused."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from boxoffice.changes.cancel_order import cancel_order
from boxoffice.changes.change_hold import extend_hold, release_hold
from boxoffice.changes.correct_name import correct_name
from boxoffice.changes.move_order import move_order
from boxoffice.changes.pay_out import pay_out
from boxoffice.changes.sell_by_staff import PaidBy, sell_by_staff
from boxoffice.confirm_order import confirm_order
from boxoffice.correct_address import correct_address
from boxoffice.models import Order, Refund
from boxoffice.refunds.refund_order import refund_order
from boxoffice.sales.count_sales import count_sales
from boxoffice.sales.prove_takings import prove_takings
from boxoffice.shows.move_show import move_and_tell
from boxoffice.shows.put_aside import put_aside
from boxoffice.shows.tell_show_moved import tell_show_moved
from inventory.expire_hold import expire_hold
from inventory.hold_seats import hold_seats
from inventory.models import Hold, Seat
from jobs.clock import database_now
from jobs.errors import JobsError
from tests.desk_invariants import disorder
from tests.fixtures_boxoffice import place
from tests.fixtures_inventory import all_at_once, seat_ids
from tests.fixtures_refunds import WHO_AND_WHY
from tickets.failures import mark_tickets_failed
from tickets.issue_tickets import issue_tickets

pytestmark = pytest.mark.django_db(transaction=True)

Change = Callable[[Order], object]


def _at_once(service: Callable[..., Any], **given: Any) -> object:
    with transaction.atomic():
        return service(**given)


def _as_seen(order: Order) -> Order:
    """With its show, its hold and its lines, as whoever looks at its page now."""
    return Order.objects.select_related("show", "hold").prefetch_related("lines").get(pk=order.pk)


def _move(order: Order, *guids: str) -> object:
    lines = list(order.lines.all())
    return move_order(
        order_id=order.pk,
        line_ids=[line.pk for line in lines],
        from_ids=[line.seat_id for line in lines],
        to_ids=seat_ids(order.show, *guids),
        **WHO_AND_WHY,
    )


def _move_show(order: Order) -> object:
    move_and_tell(
        show_id=order.show_id, seen=order.show.version, starts_at=database_now() + timedelta(hours=9), doors_at=None,
        **WHO_AND_WHY,
    )  # fmt: skip
    return _at_once(tell_show_moved, show_id=order.show_id, version=order.show.version + 1)


def _aside(order: Order) -> object:
    seen = {seat.pk: seat.version for seat in Seat.objects.filter(show=order.show, guid__in=("A-4", "A-5"))}
    return put_aside(show_id=order.show_id, seen=seen, **WHO_AND_WHY)


CHANGES: dict[str, Change] = {
    "refund": lambda order: refund_order(order_id=order.pk, **WHO_AND_WHY),
    "refund one": lambda order: refund_order(order_id=order.pk, line_ids=[order.lines.all()[0].pk], **WHO_AND_WHY),
    "cancel": lambda order: cancel_order(order_id=order.pk, **WHO_AND_WHY),
    "move": lambda order: _move(order, "A-4", "A-5"),
    "rename": lambda order: correct_name(order_id=order.pk, name="Grace Hopper", **WHO_AND_WHY),
    "address": lambda order: correct_address(order_id=order.pk, email="grace@example.org", **WHO_AND_WHY),
    "issue": lambda order: issue_tickets(order_id=order.pk),
    "the job dies": lambda order: _at_once(mark_tickets_failed, order_id=order.pk),
    "count": lambda order: _at_once(count_sales, show_id=order.show_id),
    "hold": lambda order: hold_seats(show_id=order.show_id, seat_ids=seat_ids(order.show, "A-5", "A-6")),
    "the show moves": _move_show,
    "aside": _aside,
    "confirm": lambda order: confirm_order(order_id=order.pk),
    "end": lambda order: release_hold(hold_id=order.hold_id, **WHO_AND_WHY),
    "extend": lambda order: extend_hold(hold_id=order.hold_id, minutes=5, seen=order.hold.expires_at, **WHO_AND_WHY),
    "expire": lambda order: _at_once(expire_hold, hold_id=order.hold_id),
}


@pytest.fixture
def blank_paper(monkeypatch: pytest.MonkeyPatch, ticket_files: Path) -> None:
    """What is drawn on tickets matters nothing here, and takes long."""
    monkeypatch.setattr("tickets.write_document.render_document", lambda *, tickets: repr(tickets).encode())


@pytest.mark.parametrize(
    "together",
    [
        "refund + move",
        "refund one + cancel",
        "refund one + move",
        "move + move",
        "move + rename + issue",
        "move + address + hold",
        "move + the show moves + issue",
        "move + aside + count",
        "move + the job dies + issue",
        "rename + the show moves + cancel",
    ],
)
def test_changes_of_an_order_at_one_moment_leave_money_seats_and_tickets_in_order(
    together: str, make_hold: Callable[..., Hold], blank_paper: None
) -> None:
    hold = make_hold(prices={"Front": 4200, "House": 4200})
    order = sell_by_staff(
        hold_token=hold.token, name="Ada Lovelace", email="ada@example.org", language="en",
        channel=Order.Channel.PHONE, paid_by=PaidBy.CASH, by="anna",
    )  # fmt: skip
    _do(together, order)
    for refund_id in Refund.objects.values_list("pk", flat=True):
        pay_out(refund_id=refund_id, **WHO_AND_WHY)
    _at_once(count_sales, show_id=order.show_id)
    assert list(disorder()) == []
    assert prove_takings().holds


@pytest.mark.parametrize("together", ["cancel + confirm", "end + confirm", "extend + expire + confirm"])
def test_changes_of_an_order_that_waits_at_one_moment_sell_it_or_not(
    together: str, make_hold: Callable[..., Hold]
) -> None:
    order = place(make_hold())
    _do(together, order)
    order.refresh_from_db()
    assert order.status in ("confirmed", "cancelled", "pending_payment")
    assert list(disorder()) == []


def _do(together: str, order: Order) -> None:
    """All at once, as those ask who have looked at the order before. Each is done or refused in words, and one at least
    is done."""
    calls = [partial(CHANGES[name], _as_seen(order)) for name in together.split(" + ")]
    outcomes = all_at_once(calls, threads=len(calls))
    faults = [each for each in outcomes if isinstance(each, Exception) and not isinstance(each, JobsError)]
    assert not faults, faults
    assert not all(isinstance(each, Exception) for each in outcomes), outcomes
