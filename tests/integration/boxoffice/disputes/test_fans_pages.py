"""What a fan reads of his money while its payment is disputed: nothing that the code then refuses."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from boxoffice.disputes.take_dispute import take_dispute
from boxoffice.messages import draft
from boxoffice.models import Order, Refund
from boxoffice.self_help.ask_money_back import ask_money_back
from boxoffice.self_help.errors import MoneyBackDisputed, UsedForMoneyBack
from boxoffice.shows.postpone_show import postpone_and_tell
from boxoffice.shows.tell_holders import tell_holders
from jobs.clock import database_now
from notifications.models import Notification
from tests.fixtures_payments import Payments
from tickets.issue_tickets import issue_tickets
from tickets.models import Ticket

pytestmark = pytest.mark.django_db


def postpone(order: Order) -> None:
    """With its money back on request."""
    until = database_now() + timedelta(days=14)
    postpone_and_tell(
        show_id=order.show_id, seen=order.show.version, by="anna", reason="the singer is ill", refund_until=until
    )


def pages_of(order: Order) -> list[str]:
    """The addresses of the order's page, and of the one that asks whether to give the money back."""
    return [reverse(name, args=[order.token]) for name in ("order", "money_back")]


@pytest.mark.parametrize("given", [{}, {"amount": 4_200}], ids=["the whole", "one seat of two"])
def test_who_has_disputed_is_offered_no_money_back_but_told_why_until_the_dispute_is_won(
    client: Client, paid_order: Order, dispute: Callable[..., str], refund_provider: Payments, given: dict[str, Any]
) -> None:
    found = dispute(**given)
    postpone(paid_order)
    order, asks = pages_of(paid_order)
    page = client.get(order).content.decode()
    assert "This show is postponed" in page
    assert "disputed with the bank, so the money cannot be asked back here" in page
    assert asks not in page
    for answer in (client.get(asks), client.post(asks)):
        assert answer.status_code == 409
        words = answer.content.decode()
        assert "disputed with the bank, so the money cannot be asked back here" in words
        assert "<button" not in words.partition("<main")[2].partition("</main")[0]
    assert not Refund.objects.exists()
    refund_provider.post("dispute", id=found, status="won")
    take_dispute(provider_id=found)
    assert "and you get 84.00" in client.get(asks).content.decode()


def test_the_mail_offers_no_money_back_that_would_be_refused(
    paid_order: Order, dispute: Callable[..., str], ticket_files: Any
) -> None:
    issue_tickets(order_id=paid_order.pk)
    dispute()
    postpone(paid_order)
    paid_order.show.refresh_from_db()
    tell_holders(show_id=paid_order.show_id, kind="show_postponed", version=paid_order.show.version)
    mail = Notification.objects.get(kind="show_postponed")
    told = draft(kind=mail.kind, subject=mail.subject, recipient=mail.recipient, occurrence=mail.occurrence)
    assert told.context["money_back_url"] == ""


def test_a_dispute_that_comes_between_the_page_and_the_press_is_said_to_the_fan_and_not_to_staff(
    paid_order: Order, dispute: Callable[..., str]
) -> None:
    postpone(paid_order)
    dispute()
    with pytest.raises(MoneyBackDisputed, match="Write to us"):
        ask_money_back(order_id=paid_order.pk)
    with translation.override("de"):
        assert "bei der Bank angefochten" in str(MoneyBackDisputed())


def test_who_has_gone_in_already_is_told_so_in_words_for_him(paid_order: Order, ticket_files: Any) -> None:
    postpone(paid_order)
    issue_tickets(order_id=paid_order.pk)
    first = Ticket.objects.filter(order_id=paid_order.pk).order_by("pk")[:1]
    Ticket.objects.filter(pk__in=first.values("pk")).update(status="used")
    with pytest.raises(UsedForMoneyBack, match="Write to us"):
        ask_money_back(order_id=paid_order.pk)


def test_who_lost_his_tickets_with_a_dispute_reads_that_the_show_is_postponed_and_not_that_they_stay_valid(
    client: Client, paid_order: Order, dispute: Callable[..., str]
) -> None:
    dispute("lost")
    postpone(paid_order)
    page = client.get(pages_of(paid_order)[0]).content.decode()
    assert "The show is postponed, and its new date is not known yet." in page
    for wrong in ("stay valid", "Being issued", "this-device", "The seats are yours."):
        assert wrong not in page
