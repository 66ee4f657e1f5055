"""Staff correct an address, or press a button, while others work on the same order."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import connection, connections, transaction

from boxoffice.correct_address import correct_address
from boxoffice.models import Order
from boxoffice.plan_reminders import plan_page
from boxoffice.refunds.record_answer import tell_refund
from boxoffice.resend_message import resend_message
from boxoffice.tell_tickets import plan_tickets_mail
from boxoffice.tell_tickets_late import tell_tickets_late
from inventory.models import Show
from jobs.clock import DatabaseNow
from notifications.models import MessageAction, Notification
from tests.processes import wait_for
from tickets.models import Ticket

pytestmark = pytest.mark.django_db(transaction=True)

WHY = {"by": "operator", "reason": "a typing error"}
PRESSES = 4
WAITS_FOR_US = "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"


def and_leave(action: Callable[[], object]) -> object:
    """In a thread, whose connection would stay open."""
    try:
        return action()
    finally:
        connections.close_all()


def somebody_waits_for_us() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(WAITS_FOR_US)
        return cursor.fetchone() != (0,)


def begun_tomorrow(order: Order) -> None:
    starts = DatabaseNow() + timedelta(hours=23)
    Show.objects.filter(pk=order.show_id).update(starts_at=starts, doors_at=starts)
    Order.objects.filter(pk=order.pk).update(confirmed_at=DatabaseNow() - timedelta(days=2))


def without_tickets(order: Order) -> None:
    Ticket.objects.update(status="failed", issued_at=None)


PLANS: dict[str, tuple[Callable[[Order], object], Callable[[Order], object]]] = {
    "tickets": (lambda order: None, lambda order: plan_tickets_mail(order_id=order.pk)),
    "a refund": (lambda order: None, lambda order: tell_refund(order=order, occurrence="1")),
    "reminders": (begun_tomorrow, lambda order: plan_page(order_ids=[order.pk])),
    "late tickets": (without_tickets, lambda order: tell_tickets_late()),
}


@pytest.mark.parametrize("mail", PLANS)
def test_an_address_that_is_corrected_while_a_mail_is_planned_gets_that_mail(
    order_with_tickets: Order, mail: str
) -> None:
    prepare, plan = PLANS[mail]
    prepare(order_with_tickets)

    def correct() -> object:
        return correct_address(order_id=order_with_tickets.pk, email="right@example.org", **WHY)

    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic():
            plan(order_with_tickets)
            corrected = threads.submit(and_leave, correct)
            wait_for(lambda: somebody_waits_for_us() or corrected.done(), what="the address is being corrected")
        corrected.result(10)
    mails = Notification.objects.order_by("pk").values_list("recipient", "status")
    assert list(mails) == [("ada@example.org", "suppressed"), ("right@example.org", "queued")]


@pytest.mark.parametrize("mail", PLANS)
def test_a_mail_that_is_planned_while_the_address_is_corrected_goes_to_the_new_one(
    order_with_tickets: Order, mail: str
) -> None:
    prepare, plan = PLANS[mail]
    prepare(order_with_tickets)

    def plan_it() -> None:
        with transaction.atomic():
            plan(order_with_tickets)

    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic():
            correct_address(order_id=order_with_tickets.pk, email="right@example.org", **WHY)
            planned = threads.submit(and_leave, plan_it)
            wait_for(lambda: somebody_waits_for_us() or planned.done(), what="the mail is being planned")
        planned.result(10)
    assert list(Notification.objects.values_list("recipient", "status")) == [("right@example.org", "queued")]


def test_a_button_that_several_press_at_once_sends_one_mail(order_with_tickets: Order) -> None:
    with transaction.atomic():
        plan_tickets_mail(order_id=order_with_tickets.pk)
    Notification.objects.update(status="sent", sent_at=DatabaseNow())
    together = Barrier(PRESSES)

    def press() -> object:
        together.wait(10)
        return resend_message(order_id=order_with_tickets.pk, kind="tickets_ready", occurrence="", number=1, **WHY)

    with ThreadPoolExecutor(PRESSES) as threads:
        planned = list(threads.map(and_leave, [press] * PRESSES))
    assert sum(each is not None for each in planned) == 1
    assert Notification.objects.filter(status="queued").count() == 1
    assert MessageAction.objects.count() == 1
