"""Browsers are forgotten once there is nothing more to tell them, and not before."""

from __future__ import annotations

from datetime import timedelta

import pytest

from boxoffice import erase_push_subscriptions as erasing
from boxoffice.erase_push_subscriptions import AFTER_THE_SHOW_DAYS, REFUSED_DAYS, erase_push_subscriptions
from boxoffice.models import Order
from boxoffice.tell_devices import plan_push_about
from inventory.models import Show
from jobs.clock import DatabaseNow, database_now
from jobs.wakeup import plain_connection
from notifications.models import PushSubscription
from tests.fixtures_clock import Clock
from tests.ledger import real_commits

pytestmark = pytest.mark.django_db

A_MINUTE = timedelta(minutes=1)


def browser(subject: str, **given: object) -> PushSubscription:
    number = PushSubscription.objects.count()
    return PushSubscription.objects.create(
        subject=subject, endpoint=f"https://push.example/{number}", p256dh="p", auth="a", language="en", **given
    )


def kept() -> list[PushSubscription]:
    return list(PushSubscription.objects.order_by("pk"))


def let_the_show_begin(order: Order, *, before: timedelta) -> None:
    begun = database_now() - before
    an_hour = timedelta(hours=1)
    Show.objects.filter(pk=order.show_id).update(starts_at=begun, doors_at=begun - an_hour, on_sale_at=begun - an_hour)


def test_browsers_are_forgotten_a_month_after_the_show_whether_or_not_anybody_looked_on_the_day(
    confirmed_order: Order, clock: Clock
) -> None:
    browser(confirmed_order.subject)
    other = browser("elsewhere:7")
    let_the_show_begin(confirmed_order, before=timedelta(days=AFTER_THE_SHOW_DAYS) - A_MINUTE)
    assert erase_push_subscriptions() == 0
    clock.advance(2 * A_MINUTE)
    assert erase_push_subscriptions() == 1
    assert kept() == [other]


def test_a_postponed_show_has_no_date_so_its_browsers_stay(confirmed_order: Order) -> None:
    browser(confirmed_order.subject)
    let_the_show_begin(confirmed_order, before=timedelta(days=400))
    Show.objects.update(status=Show.Status.POSTPONED)
    assert erase_push_subscriptions() == 0
    Show.objects.update(status=Show.Status.CANCELLED)
    assert erase_push_subscriptions() == 1


def test_a_browser_of_an_order_that_is_no_more_is_forgotten(db: None) -> None:
    browser("order:GONE")
    assert erase_push_subscriptions() == 1


def test_a_browser_that_takes_nothing_is_forgotten_once_nobody_has_mended_it(
    confirmed_order: Order, clock: Clock
) -> None:
    refused = browser(confirmed_order.subject, last_error="The push service answered 403.")
    well = browser(confirmed_order.subject)
    clock.advance(timedelta(days=REFUSED_DAYS) - A_MINUTE)
    assert erase_push_subscriptions() == 0
    plan_push_about(order=confirmed_order, kind="refund_done", occurrence="refund:1")
    clock.advance(timedelta(days=REFUSED_DAYS) - A_MINUTE)
    assert erase_push_subscriptions() == 0, "it was told something since"
    clock.advance(2 * A_MINUTE)
    assert erase_push_subscriptions() == 1
    assert kept() == [well]
    assert refused not in kept()


def test_more_than_one_page_is_looked_through_though_its_first_page_stays(
    confirmed_order: Order, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasing, "BATCH", 2)
    stay = [browser(confirmed_order.subject) for _ in range(5)]
    for _ in range(3):
        browser("order:GONE")
    assert erase_push_subscriptions(seconds=0) == 0
    assert erase_push_subscriptions() == 3
    assert kept() == stay


@real_commits
def test_a_browser_that_subscribes_again_at_that_moment_stays(confirmed_order: Order) -> None:
    browser(confirmed_order.subject, last_error="refused", created_at=DatabaseNow() - timedelta(days=99))
    with plain_connection("default") as other, other.transaction():
        other.execute("UPDATE notifications_pushsubscription SET last_error = ''")
        assert erase_push_subscriptions() == 0
    assert erase_push_subscriptions() == 0
