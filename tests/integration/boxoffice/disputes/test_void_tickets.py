"""Tickets of disputed payments become void and valid again, and their fan is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from boxoffice.disputes.ask_provider import ask_about
from boxoffice.disputes.take_dispute import take_dispute, write_dispute
from boxoffice.errors import NothingToSay
from boxoffice.messages import draft, tickets_disputed
from boxoffice.messages.base import Draft, lay_out
from boxoffice.models import DisputeStep, Order, Payment
from inventory.models import Show
from jobs.clock import database_now
from jobs.models import Job
from notifications.models import Notification
from notifications.transitions import begin_attempt, mark_sent, mark_suppressed
from tests.disputed_orders import becomes, dispute_of, tickets_of
from tests.fixtures_payments import Payments
from tickets.models import Ticket, TicketDocument

pytestmark = pytest.mark.django_db


def test_a_lost_dispute_makes_the_tickets_void_and_an_appeal_that_is_won_brings_the_same_ones_back(
    disputed_order: Order, refund_provider: Payments, run_tickets: Callable[[Order], None]
) -> None:
    codes = set(Ticket.objects.values_list("code", flat=True))
    dispute_id = dispute_of(refund_provider, disputed_order)
    becomes(refund_provider, dispute_id, "lost")
    take_dispute(provider_id=dispute_id)
    run_tickets(disputed_order)
    assert tickets_of(disputed_order) == [("void", "payment disputed")] * 2
    assert not TicketDocument.objects.exists()
    becomes(refund_provider, dispute_id, "won")
    take_dispute(provider_id=dispute_id)
    run_tickets(disputed_order)
    assert tickets_of(disputed_order) == [("issued", "")] * 2
    assert set(Ticket.objects.values_list("code", flat=True)) == codes
    assert len(TicketDocument.objects.get().ticket_ids) == 2
    steps = list(DisputeStep.objects.order_by("pk").values_list("status", "tickets"))
    assert steps == [("lost", "void"), ("won", "valid")]


def mails_about(order: Order) -> list[Notification]:
    return list(Notification.objects.filter(subject=order.subject, kind="tickets_disputed").order_by("pk"))


def written(mail: Notification) -> Draft:
    return draft(kind=mail.kind, subject=mail.subject, recipient=mail.recipient, occurrence=mail.occurrence)


def test_who_loses_his_tickets_with_a_lost_dispute_is_told_once_and_told_again_when_an_appeal_is_won(
    disputed_order: Order, refund_provider: Payments, run_tickets: Callable[[Order], None]
) -> None:
    dispute_id = dispute_of(refund_provider, disputed_order)
    take_dispute(provider_id=dispute_id)
    assert mails_about(disputed_order) == []
    becomes(refund_provider, dispute_id, "lost")
    for _heard in range(2):
        take_dispute(provider_id=dispute_id)
    (void,) = mails_about(disputed_order)
    assert (void.recipient, Job.objects.get(args__notification_id=void.pk).task) == (
        disputed_order.email,
        "boxoffice.send_message",
    )
    said = written(void)
    begin_attempt(notification_id=void.pk)  # it may be out
    assert said.subject.startswith("Your tickets are no longer valid: ")
    assert (said.context["count"], said.context["is_open"], len(said.context["places"])) == (2, False, 2)
    becomes(refund_provider, dispute_id, "won")
    take_dispute(provider_id=dispute_id)
    run_tickets(disputed_order)
    _void, valid = mails_about(disputed_order)
    assert written(valid).subject.startswith("Your tickets are valid again: ")
    with pytest.raises(NothingToSay, match="once more since"):
        written(void)
    mark_suppressed(notification_id=void.pk, reason=tickets_disputed.CHANGED_AGAIN)
    assert written(valid).subject.startswith("Your tickets are valid again: ")
    Notification.objects.filter(pk=void.pk).update(attempts=0)
    with pytest.raises(NothingToSay, match="no mail has told"):
        written(valid)


# What the fan is told, by how the dispute goes on and which mails have left by then; a step that no mail has followed
# yet is one whose mail waits.
COURSES = [
    (["lost", "won"], []),
    (["lost", "send", "won", "send"], ["no longer valid", "valid again"]),
    (["lost", "won", "send", "lost", "send"], ["no longer valid"]),
    (["lost", "send", "won", "lost", "send"], ["no longer valid"]),
    (["lost", "send", "won", "send", "lost", "send"], ["no longer valid", "valid again", "no longer valid"]),
    (["lost", "send", "won", "lost", "won", "send"], ["no longer valid", "valid again"]),
]


@pytest.mark.parametrize(("course", "told"), COURSES, ids=lambda each: "-".join(each) or "nothing")
def test_the_fan_is_told_what_is_news_to_him_and_nothing_of_what_was_over_before_its_mail_left(
    disputed_order: Order, refund_provider: Payments, run_tickets: Callable[[Order], None], course: list[str],
    told: list[str],
) -> None:  # fmt: skip
    opened = ask_about(dispute_id=dispute_of(refund_provider, disputed_order))
    payment = Payment.objects.get(order=disputed_order)
    said = []
    for what in [*course, "send"]:
        if what == "send":
            said += send_mails(disputed_order)
            continue
        with transaction.atomic():
            write_dispute(payment=payment, told=replace(opened, status=what), asked_at=database_now())
        run_tickets(disputed_order)
    assert [subject.partition(":")[0].removeprefix("Your tickets are ") for subject in said] == told


def send_mails(order: Order) -> list[str]:
    """Send those that wait, the newest first, as no order is promised; their subjects."""
    subjects = []
    for mail in reversed([mail for mail in mails_about(order) if mail.status == "queued"]):
        try:
            subject = written(mail).subject
        except NothingToSay as verdict:
            mark_suppressed(notification_id=mail.pk, reason=str(verdict))
            continue
        if begin_attempt(notification_id=mail.pk):
            mark_sent(notification_id=mail.pk)
            subjects.append(subject)
    return subjects


def test_a_mail_that_was_written_when_the_dispute_was_won_does_not_leave_any_more(
    disputed_order: Order, refund_provider: Payments
) -> None:
    dispute_id = dispute_of(refund_provider, disputed_order)
    becomes(refund_provider, dispute_id, "lost")
    take_dispute(provider_id=dispute_id)
    (void,) = mails_about(disputed_order)
    written(void)
    becomes(refund_provider, dispute_id, "won")
    take_dispute(provider_id=dispute_id)
    assert not begin_attempt(notification_id=void.pk)


def test_a_house_that_takes_tickets_back_at_once_says_that_the_bank_has_not_decided_and_nothing_more_when_it_has(
    settings: Any, disputed_order: Order, refund_provider: Payments
) -> None:
    settings.DISPUTED_TICKETS = "void"
    dispute_id = dispute_of(refund_provider, disputed_order)
    take_dispute(provider_id=dispute_id)
    (mail,) = mails_about(disputed_order)
    assert written(mail).context["is_open"]
    becomes(refund_provider, dispute_id, "lost")
    take_dispute(provider_id=dispute_id)
    assert mails_about(disputed_order) == [mail]
    assert not written(mail).context["is_open"]


def test_the_fans_page_says_that_his_tickets_are_void_and_what_to_do_and_not_that_they_are_being_issued(
    client: Client,
    settings: Any,
    disputed_order: Order,
    refund_provider: Payments,
    run_tickets: Callable[[Order], None],
) -> None:
    settings.DISPUTED_TICKETS = "void"

    def page() -> str:
        run_tickets(disputed_order)
        return client.get(f"/orders/{disputed_order.token}/").content.decode()

    assert "The seats are yours." in page()
    dispute_id = dispute_of(refund_provider, disputed_order)
    take_dispute(provider_id=dispute_id)
    for words in ("Your tickets are not valid", "which has not decided yet", "ask the bank to withdraw it"):
        assert words in page()
    assert "Choose seats again" not in page()
    becomes(refund_provider, dispute_id, "lost")
    take_dispute(provider_id=dispute_id)
    for words in ("Payment disputed", "the bank has given the money back", "write to us before the show"):
        assert words in page()
    for wrong in (
        "The seats are yours.",
        "Being issued",
        "Send the tickets again",
        "Correct the name",
        "Tell this device",
    ):
        assert wrong not in page()
    becomes(refund_provider, dispute_id, "won")
    take_dispute(provider_id=dispute_id)
    assert "The seats are yours." in page()


def test_nobody_is_told_of_void_tickets_for_a_show_that_has_begun_or_is_cancelled_unless_it_has_a_date_to_come(
    disputed_order: Order, refund_provider: Payments
) -> None:
    dispute_id = dispute_of(refund_provider, disputed_order)
    becomes(refund_provider, dispute_id, "lost")
    take_dispute(provider_id=dispute_id)
    (mail,) = mails_about(disputed_order)
    show = Show.objects.filter(pk=disputed_order.show_id)
    show.update(status="cancelled")
    with pytest.raises(NothingToSay, match="cancelled"):
        written(mail)
    begun = database_now() - timedelta(hours=1)
    show.update(status="scheduled", starts_at=begun, doors_at=begun)
    with pytest.raises(NothingToSay, match="had begun"):
        written(mail)
    show.update(status="postponed")
    assert "It was to start" in lay_out(written(mail), to_address=mail.recipient).text
