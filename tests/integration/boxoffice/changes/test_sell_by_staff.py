"""Staff sell at the counter and by telephone: like any other sale, with money that the provider never hears of."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from boxoffice.changes.errors import NotPaidOutByHand, ReasonForGift, SoldDifferently
from boxoffice.changes.pay_out import pay_out
from boxoffice.changes.sell_by_staff import PaidBy, sell_by_staff
from boxoffice.correct_address import correct_address
from boxoffice.errors import InvalidContact
from boxoffice.models import Order, OrderAction, Payment, Refund
from boxoffice.refunds.refund_order import refund_order
from boxoffice.tell_tickets import plan_tickets_mail
from inventory.errors import HoldExpired, TooManySeats
from inventory.hold_seats import hold_best_seats, hold_seats
from inventory.models import Hold, PriceTier, Seat, Show
from jobs.models import Job
from notifications.models import Notification
from tests.fixtures_boxoffice import place
from tests.fixtures_inventory import all_at_once, let_lapse, seat_ids
from tests.fixtures_refunds import WHO_AND_WHY
from tests.money_invariants import violations
from tickets.issue_tickets import issue_tickets
from tickets.models import Ticket

pytestmark = pytest.mark.django_db

FORM: dict[str, Any] = {
    "name": "Ada Lovelace",
    "email": "",
    "language": "de",
    "channel": Order.Channel.COUNTER,
    "paid_by": PaidBy.CASH,
    "by": "anna",
}


@pytest.fixture
def desk_hold(make_hold: Callable[..., Hold]) -> Hold:
    """Two seats of 42.00 €, which somebody at the counter wants."""
    return make_hold(prices={"Front": 4200, "House": 1200})


@pytest.fixture
def cash_order(desk_hold: Hold) -> Order:
    """84.00 € in the cash box, nobody to write to."""
    return sell(desk_hold)


def sell(hold: Hold, **given: Any) -> Order:
    return sell_by_staff(hold_token=hold.token, **(FORM | given))


def test_a_sale_is_confirmed_with_its_money_at_once(cash_order: Order) -> None:
    assert (cash_order.status, cash_order.channel, cash_order.total) == ("confirmed", "counter", 8400)
    payment = Payment.objects.get()
    assert (payment.method, payment.status, payment.amount, payment.provider_id) == ("cash", "succeeded", 8400, "")
    assert Seat.objects.filter(status="sold").count() == 2
    assert set(Ticket.objects.values_list("status", "language")) == {("pending", "de")}
    assert Job.objects.filter(task="tickets.issue_tickets").count() == 1
    action = OrderAction.objects.get()
    assert (action.action, action.by, action.details) == ("sale", "anna", {"paid_by": "cash", "worth": 8400})
    assert list(violations()) == []


def test_who_has_no_address_is_written_nothing_and_who_has_one_gets_the_tickets(
    cash_order: Order, ticket_files: Path, make_hold: Callable[..., Hold]
) -> None:
    other = sell(make_hold(), email=" ada@Example.org ", channel=Order.Channel.PHONE, paid_by=PaidBy.TERMINAL)
    for order in (cash_order, other):
        issue_tickets(order_id=order.pk)
        with transaction.atomic():
            plan_tickets_mail(order_id=order.pk)
    assert [mail.recipient for mail in Notification.objects.all()] == ["ada@example.org"]


def test_an_address_that_is_told_later_gets_the_tickets(cash_order: Order, ticket_files: Path) -> None:
    issue_tickets(order_id=cash_order.pk)
    correct_address(order_id=cash_order.pk, email="ada@example.org", **WHO_AND_WHY)
    assert [mail.kind for mail in Notification.objects.all()] == ["tickets_ready"]


def test_complimentary_tickets_cost_nothing_say_why_and_tell_what_they_are_worth(desk_hold: Hold) -> None:
    with pytest.raises(ReasonForGift):
        sell(desk_hold, paid_by=PaidBy.GIFT, reason=" ")
    order = sell(desk_hold, paid_by=PaidBy.GIFT, reason="the press")
    assert (order.status, order.total, order.complimentary) == ("confirmed", 0, True)
    assert set(order.lines.values_list("price", flat=True)) == {0}
    assert not Payment.objects.exists()
    assert OrderAction.objects.get().details == {"paid_by": "gift", "worth": 8400}
    assert refund_order(order_id=order.pk, **WHO_AND_WHY).order.status == "cancelled"
    assert list(violations()) == []


def test_what_costs_nothing_anyway_is_no_gift_and_has_no_payment(held_seats: Hold) -> None:
    order = sell(held_seats)
    assert (order.status, order.complimentary, Payment.objects.count()) == ("confirmed", False, 0)


def test_the_price_is_the_one_that_was_told_when_the_seats_were_held(desk_hold: Hold) -> None:
    PriceTier.objects.update(price=9900)
    assert sell(desk_hold).total == 8400


def test_pressed_twice_it_is_sold_once(desk_hold: Hold) -> None:
    assert sell(desk_hold) == sell(desk_hold)
    assert (Order.objects.count(), Payment.objects.count(), OrderAction.objects.count()) == (1, 1, 1)
    for other in ({"paid_by": PaidBy.TERMINAL}, {"paid_by": PaidBy.GIFT, "reason": "x"}, {"name": "Grace"}):
        with pytest.raises(SoldDifferently):
            sell(desk_hold, **other)


def test_pressed_twice_what_costs_nothing_is_given_away_once(held_seats: Hold) -> None:
    gift = {"paid_by": PaidBy.GIFT, "reason": "the press"}
    assert sell(held_seats, **gift) == sell(held_seats, **gift)
    assert Order.objects.count() == 1


def test_nobody_is_asked_for_money_for_seats_that_a_colleague_has_given_away(desk_hold: Hold) -> None:
    sell(desk_hold, paid_by=PaidBy.GIFT, reason="the press")
    with pytest.raises(SoldDifferently):
        sell(desk_hold)


def test_a_form_that_comes_again_after_all_was_given_back_sells_nothing_and_says_so(cash_order: Order) -> None:
    refund_order(order_id=cash_order.pk, **WHO_AND_WHY)
    with pytest.raises(SoldDifferently):
        sell(cash_order.hold)


def test_what_a_fan_has_begun_to_buy_is_not_sold_by_staff(held_seats: Hold) -> None:
    place(held_seats)
    with pytest.raises(SoldDifferently):
        sell(held_seats)


def test_seats_whose_time_has_run_out_are_not_sold(desk_hold: Hold) -> None:
    let_lapse(desk_hold)
    with pytest.raises(HoldExpired):
        sell(desk_hold)
    assert (Order.objects.count(), Payment.objects.count()) == (0, 0)


def test_a_wrong_name_and_a_wrong_address_are_both_named(desk_hold: Hold) -> None:
    with pytest.raises(InvalidContact) as refusal:
        sell(desk_hold, name=" ", email="ada@")
    assert refusal.value.fields.keys() == {"name", "email"}


def test_the_counter_serves_larger_groups_than_the_web(show_on_sale: Show) -> None:
    everything = seat_ids(show_on_sale)
    with pytest.raises(TooManySeats):
        hold_seats(show_id=show_on_sale.pk, seat_ids=everything[:20])
    tier = PriceTier.objects.get(name="House").pk
    assert len(hold_best_seats(show_id=show_on_sale.pk, tier_id=tier, count=20, limit=60).seat_ids) == 20
    assert len(hold_seats(show_id=show_on_sale.pk, seat_ids=everything[:8], limit=60).seat_ids) == 8


def test_cash_is_given_back_by_hand_and_no_job_asks_the_provider(cash_order: Order) -> None:
    done = refund_order(order_id=cash_order.pk, **WHO_AND_WHY)
    assert done.refund is not None
    assert done.refund.status == "planned"
    assert not Job.objects.filter(task="boxoffice.send_refund").exists()
    assert pay_out(refund_id=done.refund.pk, by="anna", reason="in cash").status == "succeeded"
    with pytest.raises(NotPaidOutByHand):
        pay_out(refund_id=done.refund.pk, by="ben", reason="in cash")
    assert list(OrderAction.objects.order_by("pk").values_list("action", flat=True)) == ["sale", "refund", "paid out"]
    assert list(violations()) == []


def test_who_has_an_address_is_told_when_the_money_was_paid_out(desk_hold: Hold) -> None:
    order = sell(desk_hold, email="ada@example.org", paid_by=PaidBy.TERMINAL)
    line = order.lines.first()
    assert line is not None
    refund = refund_order(order_id=order.pk, line_ids=[line.pk], **WHO_AND_WHY).refund
    assert refund is not None
    assert not Notification.objects.exists()
    pay_out(refund_id=refund.pk, by="anna", reason="at the terminal")
    assert [mail.kind for mail in Notification.objects.all()] == ["refund_done"]


def test_what_the_provider_pays_back_is_not_recorded_by_hand(paid_order: Order) -> None:
    refund = refund_order(order_id=paid_order.pk, **WHO_AND_WHY).refund
    assert refund is not None
    with pytest.raises(NotPaidOutByHand):
        pay_out(refund_id=refund.pk, by="anna", reason="in cash")


@pytest.mark.django_db(transaction=True)
def test_two_who_sell_one_hold_at_once_sell_it_once(desk_hold: Hold) -> None:
    orders = all_at_once([lambda: sell(desk_hold)] * 3, threads=3)
    assert {getattr(each, "pk", each) for each in orders} == {Order.objects.get().pk}
    assert list(violations()) == []


@pytest.mark.django_db(transaction=True)
def test_two_who_pay_a_refund_out_at_once_record_it_once(cash_order: Order) -> None:
    refund = refund_order(order_id=cash_order.pk, **WHO_AND_WHY).refund
    assert refund is not None
    outcomes = all_at_once([lambda: pay_out(refund_id=refund.pk, by="anna", reason="in cash")] * 2, threads=2)
    assert sorted(type(each).__name__ for each in outcomes) == ["NotPaidOutByHand", "Refund"]
    assert Refund.objects.get().status == "succeeded"
