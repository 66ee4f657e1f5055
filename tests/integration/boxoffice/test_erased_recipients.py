"""Mail addresses leave the notifications when we said that they do, and nobody is told twice for it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test import Client

from boxoffice import erase_recipients as erasing
from boxoffice import tasks
from boxoffice.ask_to_be_told import ask_to_be_told
from boxoffice.end_mails import end_mails
from boxoffice.erase_recipients import AFTER_THE_SHOW_DAYS, erase_recipients
from boxoffice.erase_sale_alerts import erase_sale_alerts
from boxoffice.messages import KINDS, KINDS_FOR_EACH_TIME, KINDS_FOR_MANY
from boxoffice.models import Order, SaleAlert
from boxoffice.order_page import order_page
from boxoffice.plan_reminders import plan_page
from boxoffice.storefront.progress import progress_of
from boxoffice.tell_sale_opened import tell_sale_opened
from boxoffice.tell_tickets import plan_tickets_mail
from boxoffice.unsubscribe_link import Reader
from inventory.models import Show
from inventory.move_sale_opening import move_sale_opening
from jobs.clock import DatabaseNow, database_now
from notifications import transitions
from notifications.by_hand import write_down_address
from notifications.erased_recipient import FINGERPRINT, is_erased
from notifications.models import MessageAction, Notification
from tests.fixtures_clock import Clock
from tests.fixtures_notifications import MailServer
from tests.fixtures_staff import staff_with
from tests.query_plans import plan_for_a_large_table

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
ADA = "ada@example.org"
EVERYWHERE = """
    SELECT count(*) FROM (
        SELECT recipient AS address FROM notifications_notification
        UNION ALL SELECT email FROM boxoffice_salealert
    ) AS stored WHERE address ILIKE '%%@%%'
"""


def addresses_stored() -> int:
    with connection.cursor() as cursor:
        cursor.execute(EVERYWHERE)
        return int(cursor.fetchone()[0])


def ask(show: Show, email: str = ADA) -> SaleAlert:
    ask_to_be_told(show_id=show.pk, email=email, language="en")
    return SaleAlert.objects.get(show=show, email=email)


def tell(show: Show, *, opening: str) -> int:
    Show.objects.filter(pk=show.pk).update(on_sale_at=DatabaseNow())
    with transaction.atomic():
        return tell_sale_opened(show_id=show.pk, opening=opening)


def send_all() -> None:
    for queued in Notification.objects.filter(status="queued"):
        transitions.mark_sent(notification_id=queued.pk)


# Who asked to be told of a sale


def test_the_night_after_the_mail_neither_alert_nor_notification_holds_the_address(show_opening_tomorrow: Show) -> None:
    ask(show_opening_tomorrow)
    ask(show_opening_tomorrow, "eva@example.org")
    assert tell(show_opening_tomorrow, opening="1") == 2
    send_all()
    assert addresses_stored() == 4
    erase_sale_alerts()
    assert addresses_stored() == 0
    assert Notification.objects.filter(status="sent", recipient__startswith="erased:").count() == 2


def test_the_link_in_the_mail_erases_it_in_both_at_once_and_of_nobody_else(
    client: Client, show_opening_tomorrow: Show
) -> None:
    alert = ask(show_opening_tomorrow)
    ask(show_opening_tomorrow, "eva@example.org")
    tell(show_opening_tomorrow, opening="1")
    send_all()
    assert client.post(f"/alerts/{alert.token}/").status_code == 200
    assert Notification.objects.filter(recipient="eva@example.org").count() == 1
    assert addresses_stored() == 2


def test_ending_such_mails_erases_it_in_both_at_once(show_opening_tomorrow: Show) -> None:
    ask(show_opening_tomorrow)
    tell(show_opening_tomorrow, opening="1")
    send_all()
    end_mails(reader=Reader("sale_opened", ADA))
    assert addresses_stored() == 0


def test_a_mail_that_was_under_way_when_the_address_was_taken_out_is_erased_by_the_next_night(
    client: Client, show_opening_tomorrow: Show, mail_server: MailServer
) -> None:
    alert = ask(show_opening_tomorrow)
    tell(show_opening_tomorrow, opening="1")
    client.post(f"/alerts/{alert.token}/")
    assert erase_sale_alerts() == 0
    tasks.send_bulk.body(notification_id=Notification.objects.get().pk)
    assert Notification.objects.get().last_error == "the address was taken out"
    erase_sale_alerts()
    assert addresses_stored() == 0
    assert mail_server.messages() == []


def test_an_address_that_waits_for_the_sale_to_open_again_is_kept_until_then(show_opening_tomorrow: Show) -> None:
    ask(show_opening_tomorrow)
    tell(show_opening_tomorrow, opening="1")
    transitions.mark_suppressed(notification_id=Notification.objects.get().pk, reason="the show is postponed")
    assert erase_sale_alerts() == 0
    assert addresses_stored() == 2


@pytest.mark.parametrize("status", ["failed", "suppressed"])
def test_what_could_not_be_sent_is_erased_when_the_show_has_begun(
    show_opening_tomorrow: Show, clock: Clock, status: str
) -> None:
    ask(show_opening_tomorrow)
    tell(show_opening_tomorrow, opening="1")
    Notification.objects.update(status=status, last_error="the show is not on sale")
    clock.advance(8 * DAY)
    assert erase_sale_alerts() == 1
    assert addresses_stored() == 0


def test_whose_address_was_erased_is_not_told_of_the_same_opening_twice_and_of_the_next_one_once(
    show_opening_tomorrow: Show,
) -> None:
    ask(show_opening_tomorrow)
    assert tell(show_opening_tomorrow, opening="1") == 1
    send_all()
    erase_sale_alerts()
    move_sale_opening(show_id=show_opening_tomorrow.pk, on_sale_at=database_now() + DAY)
    ask(show_opening_tomorrow)
    ask(show_opening_tomorrow, "eva@example.org")
    assert tell(show_opening_tomorrow, opening="1") == 1, "Eva alone"
    assert tell(show_opening_tomorrow, opening="2") == 1, "Ada, who asked anew"
    assert tell(show_opening_tomorrow, opening="2") == 0
    told = Notification.objects.exclude(recipient__startswith="erased:").values_list("recipient", "occurrence")
    assert sorted(told) == [(ADA, "2"), ("eva@example.org", "1")]


def test_the_same_address_leaves_another_fingerprint_at_each_show(
    show_opening_tomorrow: Show, other_show: Show
) -> None:
    Show.objects.update(on_sale_at=DatabaseNow() + DAY)
    for show in (show_opening_tomorrow, other_show):
        ask(show)
        tell(show, opening="1")
    send_all()
    erase_sale_alerts()
    assert Notification.objects.values("recipient").distinct().count() == 2


def test_a_given_up_mail_whose_address_was_erased_is_replayed_in_vain_and_says_why(
    show_opening_tomorrow: Show, mail_server: MailServer
) -> None:
    alert = ask(show_opening_tomorrow)
    tell(show_opening_tomorrow, opening="1")
    mail = Notification.objects.get()
    transitions.mark_failed(notification_id=mail.pk)
    alert.delete()
    erase_sale_alerts()
    transitions.reopen(notification_id=mail.pk)
    tasks.send_bulk.body(notification_id=mail.pk)
    mail.refresh_from_db()
    assert (mail.status, mail.last_error) == ("suppressed", "its address was erased")
    assert mail_server.messages() == []


# What was told of orders


@pytest.fixture
def old_order(order_with_tickets: Order) -> Order:
    """Reminded and told of its tickets; its show has just begun."""
    with transaction.atomic():
        plan_tickets_mail(order_id=order_with_tickets.pk)
    Show.objects.update(doors_at=DatabaseNow(), starts_at=DatabaseNow() + timedelta(hours=23))
    Order.objects.update(confirmed_at=DatabaseNow() - timedelta(days=2))
    assert plan_page(order_ids=[order_with_tickets.pk]) == 1
    write_down_address(
        subject=order_with_tickets.subject, earlier="old@example.org", now=ADA, by="Kim", reason="A slip of the finger."
    )
    send_all()
    Show.objects.update(on_sale_at=DatabaseNow() - DAY, doors_at=DatabaseNow(), starts_at=DatabaseNow())
    return order_with_tickets


def test_what_an_order_was_told_loses_its_address_so_long_after_the_show_and_stays_otherwise(
    old_order: Order, clock: Clock
) -> None:
    clock.advance(timedelta(days=AFTER_THE_SHOW_DAYS) - timedelta(minutes=1))
    assert erase_recipients() == 0
    clock.advance(timedelta(minutes=2))
    assert erase_recipients() == 2
    assert erase_recipients() == 0
    assert all(is_erased(recipient=mail.recipient) for mail in Notification.objects.all())
    assert MessageAction.objects.values_list("recipient", "earlier_recipient", "by").get() == ("", "", "Kim")
    page = order_page(token=old_order.token)
    assert page is not None
    assert progress_of(page).steps[-1].state == "done"
    with transaction.atomic():
        plan_tickets_mail(order_id=old_order.pk)
    assert Notification.objects.count() == 2


def test_staff_read_that_the_address_was_erased(old_order: Order, clock: Clock, client: Client) -> None:
    clock.advance(timedelta(days=AFTER_THE_SHOW_DAYS, minutes=1))
    erase_recipients()
    staff_with(client, "view_order", "view_notification", "add_messageaction")
    page = client.get(f"/admin/boxoffice/order/{old_order.pk}/change/").content.decode()
    assert "erased:" not in page
    assert "an address that was erased" in page
    assert "old@example.org" not in page
    again = client.get(f"/admin/boxoffice/order/{old_order.pk}/resend/", {"kind": "tickets_ready", "occurrence": ""})
    assert "The last one went to an address that was erased." in again.content.decode()
    mails = client.get("/admin/notifications/notification/").content.decode()
    assert "erased:" not in mails
    assert ">erased<" in mails


@pytest.mark.parametrize("kept", ["postponed", "queued", "push", "another day"])
def test_an_address_that_is_needed_still_stays(old_order: Order, clock: Clock, kept: str) -> None:
    if kept == "postponed":
        Show.objects.update(status="postponed")
    elif kept == "another day":
        Show.objects.update(starts_at=DatabaseNow() + 2 * DAY)
    elif kept == "queued":
        Notification.objects.update(status="queued")
    else:
        Notification.objects.filter(kind="reminder").delete()
        Notification.objects.update(channel="push", recipient="push:7")
    clock.advance(timedelta(days=AFTER_THE_SHOW_DAYS) + timedelta(minutes=1))
    assert erase_recipients() == 0


def test_what_is_told_of_a_show_long_over_keeps_its_address_as_long_after_it_was_written(
    old_order: Order, clock: Clock
) -> None:
    clock.advance(timedelta(days=AFTER_THE_SHOW_DAYS) + timedelta(minutes=1))
    Notification.objects.filter(kind="reminder").update(created_at=DatabaseNow() - DAY)
    assert erase_recipients() == 1
    assert Notification.objects.get(recipient=ADA).kind == "reminder"


def test_a_walk_of_many_pages_reaches_them_all_though_the_first_ones_must_stay(
    old_order: Order, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasing, "BATCH", 2)
    Notification.objects.all().delete()
    for number in range(7):
        Notification.objects.create(
            kind="tickets_ready",
            subject=old_order.subject if number > 2 else "order:GONE",
            recipient=f"fan{number}@example.org",
            language="en",
            message_id=f"<{number}@example.org>",
            status="queued" if number < 3 else "suppressed",
        )
    clock.advance(timedelta(days=AFTER_THE_SHOW_DAYS) + timedelta(minutes=1))
    assert erase_recipients() == 4
    assert Notification.objects.filter(recipient__contains="@").count() == 3


def test_every_kind_of_mail_is_walked_through_by_the_index_of_what_has_an_address(old_order: Order) -> None:
    kinds = {*KINDS, *KINDS_FOR_EACH_TIME, *KINDS_FOR_MANY}
    told = Notification.objects.filter(kind__in=kinds)
    assert told.count() == Notification.objects.count()
    values = {"kind": "reminder", "after": 0, "days": 400, "batch": 1000, "erasing_secret": "s"}
    page = erasing.ERASE_PAGE.format(fingerprint=FINGERPRINT)
    assert "notification_with_address" in plan_for_a_large_table(page, values, table="notifications_notification")
