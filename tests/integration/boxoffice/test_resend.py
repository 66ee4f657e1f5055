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
from jobs.dead.replay import replay_job
from jobs.errors import NotDead, ReasonMissing
from jobs.models import Job, StaffAction
from notifications.models import MessageAction, Notification
from notifications.plan import plan_notification
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


# --- what was given up ------------------------------------------------------------------------------------------------


@pytest.fixture
def given_up_mail(mailed_order: Order) -> Job:
    """The job of its mail is dead: the mail server would not take it."""
    (job,) = Job.objects.filter(task="boxoffice.send_message")
    Notification.objects.update(status="failed", sent_at=None, last_error="550")
    dead(job)
    return job


def dead(job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(
        state="dead", reason="error", error="MessageRefused: 550", finished_at=DatabaseNow()
    )


def asks_for_a_human(staff: Client, order: Order) -> bool:
    """On any of the three pages where somebody would look; they agree."""
    listed = order.code in staff.get("/admin/boxoffice/order/?attention=needed").content.decode()
    story = "was given up" in staff.get(pages(order)[0]).content.decode()
    dead_list = order.subject in staff.get("/admin/jobs/deadjob/").content.decode()
    assert listed == story == dead_list
    return listed


def test_a_mail_that_was_given_up_asks_for_nobody_once_it_is_sent_again(
    staff: Client, mailed_order: Order, given_up_mail: Job
) -> None:
    assert asks_for_a_human(staff, mailed_order)
    resend_message(order_id=mailed_order.pk, **TICKETS, number=1, **WHY)
    assert not asks_for_a_human(staff, mailed_order)
    given_up_mail.refresh_from_db()
    assert (given_up_mail.state, given_up_mail.reason) == ("cancelled", "discarded: the fan has deleted it")
    trail = StaffAction.objects.get(job_id=given_up_mail.pk)
    assert (trail.action, trail.by, trail.job_error) == ("discard", "operator", "MessageRefused: 550")
    with pytest.raises(NotDead):
        replay_job(job_id=given_up_mail.pk, generation=0, by="operator", reason="it would be sent twice")


def test_a_mail_that_was_given_up_goes_to_the_corrected_address_and_asks_for_nobody(
    staff: Client, mailed_order: Order, given_up_mail: Job
) -> None:
    told = staff.post(pages(mailed_order)[2], {"email": "ada@example.com", "reason": "typo"}, follow=True)
    assert "1 that was not sent yet goes there, too." in told.content.decode()
    assert mails() == [("ada@example.org", "", "failed"), ("ada@example.com", "#1", "queued")]
    assert not asks_for_a_human(staff, mailed_order)


def test_only_what_was_told_again_counts_as_answered(staff: Client, mailed_order: Order, given_up_mail: Job) -> None:
    with transaction.atomic():
        other = plan_notification(
            kind="refund_done",
            subject=mailed_order.subject,
            recipient="ada@example.org",
            language="en",
            task="boxoffice.send_message",
            occurrence="refund:7",
        )
    assert other is not None
    Notification.objects.filter(pk=other.pk).update(status="failed")
    dead(Job.objects.get(args={"notification_id": other.pk}))
    resend_message(order_id=mailed_order.pk, **TICKETS, number=1, **WHY)
    assert list(Job.objects.filter(state="dead").values_list("args", flat=True)) == [{"notification_id": other.pk}]
    assert asks_for_a_human(staff, mailed_order)


def test_a_press_on_an_old_page_discards_no_job_that_nothing_answers(mailed_order: Order, given_up_mail: Job) -> None:
    again = resend_message(order_id=mailed_order.pk, **TICKETS, number=1, **WHY)
    assert again is not None
    Notification.objects.filter(pk=again.pk).update(status="failed")
    second = Job.objects.get(args={"notification_id": again.pk})
    dead(second)
    assert resend_message(order_id=mailed_order.pk, **TICKETS, number=1, **WHY) is None
    second.refresh_from_db()
    assert second.state == "dead"


def test_a_mail_whose_job_was_just_replayed_is_on_its_way_and_is_not_sent_twice(
    mailed_order: Order, given_up_mail: Job
) -> None:
    replay_job(job_id=given_up_mail.pk, generation=0, by="another", reason="it takes mails again")
    with pytest.raises(MessageUnderWay):
        resend_message(order_id=mailed_order.pk, **TICKETS, number=1, **WHY)
    assert [status for _, _, status in mails()] == ["queued"]
    assert not MessageAction.objects.exists()


def test_a_mail_that_was_sent_again_does_not_go_to_a_corrected_address_twice(
    mailed_order: Order, given_up_mail: Job
) -> None:
    resend_message(order_id=mailed_order.pk, **TICKETS, number=1, **WHY)
    done = correct_address(order_id=mailed_order.pk, email="ada@example.com", **WHY)
    assert done.redirected == 1
    assert mails() == [
        ("ada@example.org", "", "failed"),
        ("ada@example.org", "#1", "suppressed"),
        ("ada@example.com", "#2", "queued"),
    ]


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("delivered", "The last one arrived. Whoever has it gets a second one."),
        ("bounced", "The last one came back: that mailbox did not take it."),
        ("failed", "The last one could not be sent, so that nobody gets two."),
        ("suppressed", "The last one was not sent, so that nobody gets two."),
    ],
)
def test_the_page_that_sends_again_says_whether_anybody_has_the_last_one(
    staff: Client, mailed_order: Order, status: str, words: str
) -> None:
    Notification.objects.update(status=status)
    _story, resend, _address = pages(mailed_order)
    page = staff.get(resend).content.decode()
    assert words in page
    assert ("gets a second one" in page) is (status == "delivered")
