"""Who asks for his orders gets one mail with their links, and nobody else learns whether there are any."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from boxoffice import tasks
from boxoffice.models import AskedOrders, Order
from boxoffice.self_help.ask_for_orders import ask_for_orders
from boxoffice.self_help.erase_asked_orders import erase_asked_orders
from boxoffice.self_help.tell_my_orders import MOST_A_DAY, tell_my_orders
from boxoffice.write_message import write_and_send, written
from jobs.models import Job
from notifications import transitions
from notifications.limits import askers
from notifications.models import Notification
from tests.fixtures_boxoffice import statements
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import all_at_once

pytestmark = pytest.mark.django_db
real_commits = pytest.mark.django_db(transaction=True)

WINDOW = timedelta(minutes=10)


def ask(email: str) -> AskedOrders:
    ask_for_orders(email=email, language="en")
    return AskedOrders.objects.latest("pk")


def run_jobs() -> None:
    for job in Job.objects.filter(task="boxoffice.tell_my_orders", state="waiting"):
        tasks.tell_who_asked_for_orders.body(**job.args)
        Job.objects.filter(pk=job.pk).update(state="done")


def mails() -> int:
    return Notification.objects.filter(kind="my_orders").count()


def test_the_mail_has_the_links_of_all_orders_of_the_address_however_it_was_spelt(
    confirmed_order: Order, settings: Any
) -> None:
    settings.PUBLIC_URL = "https://tickets.example.org"
    ask(f"  {confirmed_order.email.upper()} ")
    run_jobs()
    planned = Notification.objects.get(kind="my_orders")
    mail = written(notification=planned)
    assert planned.recipient == confirmed_order.email
    for text in (mail.text, mail.html):
        assert f"https://tickets.example.org/orders/{confirmed_order.token}/" in text
        assert confirmed_order.code in text
    assert Job.objects.filter(task="boxoffice.send_message", args={"notification_id": planned.pk}).exists()


def test_no_job_and_no_subject_holds_the_address(confirmed_order: Order) -> None:
    ask(confirmed_order.email)
    run_jobs()
    jobs = Job.objects.filter(task__in=("boxoffice.tell_my_orders", "boxoffice.send_message"))
    assert not [job for job in jobs if "@" in f"{job.args} {job.subject} {job.unique_key}"]
    assert "@" not in Notification.objects.get(kind="my_orders").subject


def test_an_address_without_orders_gets_no_mail(confirmed_order: Order) -> None:
    ask("nobody@example.org")
    run_jobs()
    assert mails() == 0


def test_orders_of_shows_long_over_and_those_that_were_given_up_are_not_told(
    confirmed_order: Order, make_hold: Callable[..., Any], clock: Clock
) -> None:
    Order.objects.filter(pk=confirmed_order.pk).update(status="expired", confirmed_at=None)
    ask(confirmed_order.email)
    run_jobs()
    assert mails() == 0
    Order.objects.filter(pk=confirmed_order.pk).update(status="confirmed", confirmed_at=confirmed_order.confirmed_at)
    clock.advance(timedelta(days=60))
    ask(confirmed_order.email)
    run_jobs()
    assert mails() == 0


def test_ten_minutes_bring_one_mail_however_often_somebody_asks(confirmed_order: Order, clock: Clock) -> None:
    clock.stand_still(at=confirmed_order.placed_at)
    for _time in range(3):
        ask(confirmed_order.email)
    run_jobs()
    assert (mails(), AskedOrders.objects.count()) == (1, 1)
    clock.stand_still(at=confirmed_order.placed_at + WINDOW)
    ask(confirmed_order.email)
    run_jobs()
    assert mails() == 2


def test_a_day_brings_five_mails_at_most(confirmed_order: Order, clock: Clock) -> None:
    for number in range(MOST_A_DAY + 2):
        clock.stand_still(at=confirmed_order.placed_at + number * WINDOW)
        ask(confirmed_order.email)
        run_jobs()
    assert mails() == MOST_A_DAY


@real_commits
def test_asking_and_looking_up_at_once_plans_one_mail(confirmed_order: Order, clock: Clock) -> None:
    clock.stand_still(at=confirmed_order.placed_at)
    asks = [partial(ask_for_orders, email=confirmed_order.email, language="en")] * 6
    assert all_at_once(asks, threads=6) == [None] * 6
    asked = AskedOrders.objects.get()

    def tell() -> bool:
        with transaction.atomic():
            return tell_my_orders(asked_id=asked.pk)

    assert sorted(all_at_once([tell] * 4, threads=4), key=str) == [False, False, False, True]
    assert mails() == 1


def test_known_unknown_and_repeated_addresses_take_the_same_statements_and_get_the_same_answer(
    confirmed_order: Order, client: Client
) -> None:
    told = []
    for email in (confirmed_order.email, "nobody@example.org", confirmed_order.email, "nobody@example.org"):
        with statements() as asked:
            answer = client.post("/my-orders/", {"email": email})
        told.append((answer.status_code, answer.headers["Location"], list(map(_shape, asked))))
    assert told == [told[0]] * 4
    assert told[0][0] == 303
    page = client.get(told[0][1]).content.decode()
    assert "If there are orders for this address" in page
    assert "@" not in re.sub(r"<head.*?</head>", "", page, flags=re.DOTALL)


def _shape(statement: str) -> str:
    return re.sub(r"'[^']*'|\d+", "?", statement)


@pytest.mark.parametrize(
    "typed",
    ["", "ada", "a@example.org\r\nBcc: b@example.org", "a\x00@example.org", "a@b.example,c@d.example", "a" * 100_000],
)
def test_what_is_no_address_is_said_at_the_field_and_shown_again(client: Client, typed: str) -> None:
    answer = client.post("/my-orders/", {"email": typed})
    assert answer.status_code == 422
    assert 'id="email-problem"' in answer.content.decode()
    assert not AskedOrders.objects.exists()


def test_markup_in_an_address_stays_text(client: Client) -> None:
    page = client.post("/my-orders/", {"email": '"><script>alert(1)</script>'}).content.decode()
    assert "<script>alert" not in page


def test_a_network_asks_so_often_and_no_more(client: Client) -> None:
    for number in range(askers.MOST):
        assert client.post("/my-orders/", {"email": f"fan{number}@example.org"}).status_code == 303
    assert client.post("/my-orders/", {"email": "more@example.org"}).status_code == 429


def test_a_mail_whose_orders_are_gone_is_not_sent(confirmed_order: Order) -> None:
    ask(confirmed_order.email)
    run_jobs()
    Order.objects.filter(pk=confirmed_order.pk).update(email="other@example.org")
    write_and_send(notification_id=Notification.objects.get(kind="my_orders").pk)
    kept = Notification.objects.get(kind="my_orders")
    assert (kept.status, kept.last_error) == ("suppressed", "the address has no orders any more")


def test_addresses_are_erased_after_a_day_and_not_before(confirmed_order: Order, clock: Clock) -> None:
    ask(confirmed_order.email)
    run_jobs()
    transitions.mark_sent(notification_id=Notification.objects.get(kind="my_orders").pk)
    assert erase_asked_orders() == 0
    clock.advance(timedelta(days=1, minutes=1))
    assert erase_asked_orders() == 1
    assert not AskedOrders.objects.exists()
    assert Notification.objects.get(kind="my_orders").recipient.startswith("erased:")
