"""Staff correct an address, or press a button, while others work on the same order."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection, connections, transaction

from boxoffice.correct_address import correct_address
from boxoffice.models import Order
from boxoffice.resend_message import resend_message
from boxoffice.tell_tickets import plan_tickets_mail
from jobs.clock import DatabaseNow
from notifications.models import MessageAction, Notification
from tests.processes import wait_for

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


def test_an_address_that_is_corrected_while_the_tickets_mail_is_planned_gets_that_mail(
    order_with_tickets: Order,
) -> None:
    def correct() -> object:
        return correct_address(order_id=order_with_tickets.pk, email="right@example.org", **WHY)

    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic():
            plan_tickets_mail(order_id=order_with_tickets.pk)
            corrected = threads.submit(and_leave, correct)
            wait_for(lambda: somebody_waits_for_us() or corrected.done(), what="the address is being corrected")
        corrected.result(10)
    mails = Notification.objects.order_by("pk").values_list("recipient", "status")
    assert list(mails) == [("ada@example.org", "suppressed"), ("right@example.org", "queued")]


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
