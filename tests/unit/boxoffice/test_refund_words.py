"""What a mail about seats that were given back says is true of how many they were, and of their show."""

from __future__ import annotations

import pytest
from django.utils import translation

from boxoffice.messages import refund_done
from boxoffice.messages.base import lay_out
from boxoffice.messages.samples import sample_order, samples
from boxoffice.models import OrderLine
from inventory.models import Seat, Show
from notifications.content import EmailContent


def mail(*, seats: int, show: str = Show.Status.SCHEDULED) -> EmailContent:
    order = sample_order(show=show)
    lines = [
        OrderLine(order=order, seat=Seat(pk=n, zone="Stalls", row="C", number=str(n)), tier_name="Front", price=0)
        for n in range(1, seats + 1)
    ]
    with translation.override("en"):
        return lay_out(refund_done.worded(order=order, money=None, lines=lines), to_address="ada@example.org")


def test_one_ticket_is_spoken_of_as_one() -> None:
    for form in (mail(seats=1).text, mail(seats=1).html):
        assert "Nothing was paid for it, so no money moves. The ticket is no longer valid, and the seat is" in form
    assert "Nothing was paid for them, so no money moves. The tickets are no longer valid" in mail(seats=2).text


@pytest.mark.parametrize("status", [Show.Status.CANCELLED, Show.Status.POSTPONED, Show.Status.OVER])
def test_no_seat_of_a_show_that_does_not_sell_is_said_to_be_on_sale(status: str) -> None:
    for form in (mail(seats=1, show=status).text, mail(seats=1, show=status).html):
        assert "The ticket is no longer valid." in form
        assert "on sale" not in form


def test_whoever_gets_a_link_to_an_order_is_told_to_keep_it() -> None:
    for sample in samples():
        with translation.override("en"):
            text = lay_out(sample.draft(), to_address="ada@example.org").text
        assert ("/orders/" in text) == ("Keep this mail to yourself" in text), sample.kind
