"""Staff send a mail again, or correct the address that it went to: once, and written down."""

from __future__ import annotations

import re

import pytest
from django.db import transaction
from django.test import Client

from boxoffice.correct_address import correct_address
from boxoffice.errors import AddressUnchanged, InvalidContact, MessageNotTold, MessageUnderWay
from boxoffice.models import Order
from boxoffice.resend_message import resend_message, told_messages
from boxoffice.tell_tickets import plan_tickets_mail
from boxoffice.write_message import written
from jobs.clock import DatabaseNow
from jobs.errors import ReasonMissing
from jobs.models import Job
from notifications.models import MessageAction, Notification
from tests.fixtures_staff import staff_with

pytestmark = pytest.mark.django_db

WHY = {"by": "operator", "reason": "the fan has deleted it"}
TICKETS = {"kind": "tickets_ready", "occurrence": ""}


@pytest.fixture
def mailed_order(order_with_tickets: Order) -> Order:
    """Its tickets were mailed to Ada."""
    with transaction.atomic():
        plan_tickets_mail(order_id=order_with_tickets.pk)
    Notification.objects.update(status="sent", sent_at=DatabaseNow())
    return order_with_tickets


def mails() -> list[tuple[str, str, str]]:
    return list(Notification.objects.order_by("pk").values_list("recipient", "occurrence", "status"))


def test_a_mail_that_is_sent_again_is_planned_once_more_with_a_job_of_its_own(mailed_order: Order) -> None:
    again = resend_message(order_id=mailed_order.pk, **TICKETS, number=1, **WHY)
    assert again is not None
    assert mails() == [("ada@example.org", "", "sent"), ("ada@example.org", "#1", "queued")]
    assert Job.objects.filter(task="boxoffice.send_message", args={"notification_id": again.pk}).count() == 1
    assert written(notification=again).subject == written(notification=Notification.objects.first()).subject
    action = MessageAction.objects.get()
    assert (action.subject, action.action, action.by, action.reason) == (
        mailed_order.subject,
        "resend",
        "operator",
        "the fan has deleted it",
    )


def test_pressing_twice_sends_once_even_when_the_first_has_gone_out_meanwhile(mailed_order: Order) -> None:
    for _ in range(2):
        resend_message(order_id=mailed_order.pk, **TICKETS, number=1, **WHY)
        Notification.objects.update(status="sent", sent_at=DatabaseNow())
    assert len(mails()) == 2
    assert MessageAction.objects.count() == 1
    assert resend_message(order_id=mailed_order.pk, **TICKETS, number=2, **WHY) is not None
    assert [occurrence for _, occurrence, _ in mails()] == ["", "#1", "#2"]


def test_what_is_still_on_its_way_or_was_never_told_is_not_sent_again(mailed_order: Order) -> None:
    with pytest.raises(MessageNotTold):
        resend_message(order_id=mailed_order.pk, kind="reminder", occurrence="", number=1, **WHY)
    Notification.objects.update(status="queued", sent_at=None)
    with pytest.raises(MessageUnderWay):
        resend_message(order_id=mailed_order.pk, **TICKETS, number=1, **WHY)
    with pytest.raises(ReasonMissing):
        resend_message(order_id=mailed_order.pk, **TICKETS, number=1, by="operator", reason=" ")
    assert len(mails()) == 1


def test_a_corrected_address_gets_what_still_waited_and_all_that_follows(mailed_order: Order) -> None:
    Notification.objects.update(status="queued", sent_at=None)
    done = correct_address(order_id=mailed_order.pk, email=" ada@Example.COM ", **WHY)
    assert (done.order.email, done.redirected) == ("ada@example.com", 1)
    assert mails() == [("ada@example.org", "", "suppressed"), ("ada@example.com", "#1", "queued")]
    back = correct_address(order_id=mailed_order.pk, email="ada@example.org", **WHY)
    assert back.redirected == 1
    assert mails()[-1] == ("ada@example.org", "#2", "queued")
    assert list(MessageAction.objects.values_list("earlier_recipient", "recipient")) == [
        ("ada@example.org", "ada@example.com"),
        ("ada@example.com", "ada@example.org"),
    ]
    with transaction.atomic():
        plan_tickets_mail(order_id=mailed_order.pk)
    assert len(mails()) == 3


def test_what_is_no_address_or_the_same_one_changes_nothing(mailed_order: Order) -> None:
    with pytest.raises(InvalidContact):
        correct_address(order_id=mailed_order.pk, email="ada@example", **WHY)
    with pytest.raises(AddressUnchanged):
        correct_address(order_id=mailed_order.pk, email="ada@example.org", **WHY)
    assert not MessageAction.objects.exists()


def test_a_refund_mail_that_is_told_again_tells_of_the_same_refund(mailed_order: Order) -> None:
    Notification.objects.update(kind="refund_done", occurrence="refund:7")
    (told,) = told_messages(order=mailed_order)
    assert (told.kind, told.occurrence, told.number) == ("refund_done", "refund:7", 1)
    again = resend_message(order_id=mailed_order.pk, kind="refund_done", occurrence="refund:7", number=1, **WHY)
    assert again is not None
    assert again.occurrence == "refund:7#1"


# --- the pages --------------------------------------------------------------------------------------------------------


def pages(order: Order) -> tuple[str, str, str]:
    """The order's, the one that sends again, the one that corrects."""
    base = f"/admin/boxoffice/order/{order.pk}"
    return f"{base}/change/", f"{base}/resend/?kind=tickets_ready&occurrence=", f"{base}/address/"


def test_staff_correct_the_address_of_a_bounced_mail_send_it_again_and_nothing_is_wrong_any_more(
    staff: Client, mailed_order: Order
) -> None:
    Notification.objects.update(status="bounced")
    story, resend, address = pages(mailed_order)
    page = staff.get(story).content.decode()
    assert "did not arrive" in page
    assert resend.replace("&", "&amp;") in page

    refused = staff.post(address, {"email": "ada@", "reason": "typo"}).content.decode()
    assert "This is not a complete e-mail address." in refused
    assert 'value="ada@"' in refused
    told = staff.post(address, {"email": "ada@example.com", "reason": "typo"}, follow=True).content.decode()
    assert f"Mails about order {mailed_order.code} go to ada@example.com from now on." in told

    asked = staff.get(resend).content.decode()
    assert "ada@example.com" in asked
    form = dict(re.findall(r'type="hidden" name="(kind|occurrence|number)" value="([^"]*)"', asked))
    form = {"occurrence": "", **form, "reason": "it had bounced"}
    assert form["number"] == "1"
    done = staff.post(resend.partition("?")[0], form, follow=True).content.decode()
    assert "It goes to ada@example.com once more." in done
    assert "did not arrive" not in done
    assert "By operator: it had bounced" in done
    twice = staff.post(resend.partition("?")[0], form, follow=True).content.decode()
    assert "It had been planned again already." in twice
    assert [recipient for recipient, _, _ in mails()] == ["ada@example.org", "ada@example.com"]
    Notification.objects.filter(status="queued").update(status="sent", sent_at=DatabaseNow())
    assert mailed_order.code not in staff.get("/admin/boxoffice/order/?attention=needed").content.decode()


def test_who_may_only_look_can_neither_send_again_nor_correct(client: Client, mailed_order: Order) -> None:
    support = staff_with(client, "view_order")
    story, resend, address = pages(mailed_order)
    assert "/resend/" not in support.get(story).content.decode()
    assert (support.get(resend).status_code, support.get(address).status_code) == (403, 403)
    assert support.post(address, {"email": "x@example.org", "reason": "r"}).status_code == 403


def test_a_page_without_a_reason_asks_for_it_and_sends_nothing(staff: Client, mailed_order: Order) -> None:
    _story, resend, _address = pages(mailed_order)
    answer = staff.post(resend.partition("?")[0], {**TICKETS, "number": 1, "reason": ""})
    assert answer.status_code == 200
    assert len(mails()) == 1
