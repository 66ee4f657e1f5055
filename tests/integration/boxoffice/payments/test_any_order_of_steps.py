"""Fans, staff, jobs, events and faults in random orders: whatever came first, money and seats agree in the end."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from random import Random
from typing import Any

import pytest
import stripe
from django.db import connection

from boxoffice.payments import settle_payment, start_payment
from boxoffice.refunds import send_refund
from boxoffice.storefront import paid
from inventory.models import Show
from jobs.clock import database_now
from jobs.worker.execution import Outcome
from tests.fixtures_clock import Clock
from tests.fixtures_payments import Payments
from tests.money_model import BoxOffice

pytestmark = pytest.mark.django_db(transaction=True)

STEPS = 100
PRICES = {"EUR": 4_200, "JPY": 5_000, "KWD": 12_340, "ISK": 700}


@pytest.fixture
def no_call_in_a_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks the provider inside a transaction fails."""
    ask = stripe.RequestsClient.request

    def outside(self: stripe.RequestsClient, *given: Any, **named: Any) -> Any:
        assert not connection.in_atomic_block
        return ask(self, *given, **named)

    monkeypatch.setattr(stripe.RequestsClient, "request", outside)


@pytest.mark.parametrize("seed", range(4))
def test_whatever_comes_first_the_provider_has_kept_what_the_sold_seats_cost(
    seed: int,
    paid_house: Payments,
    clock: Clock,
    make_show: Callable[..., Show],
    work: Callable[[int], Outcome],
    monkeypatch: pytest.MonkeyPatch,
    no_call_in_a_transaction: None,
) -> None:
    random = Random(seed)
    starts_at = database_now() + timedelta(days=90)
    shows = [
        make_show(currency, currency=currency, starts_at=starts_at, prices=dict.fromkeys(("Front", "House"), price))
        for currency, price in random.sample(list(PRICES.items()), 2)
    ]
    box_office = BoxOffice(random=random, payments=paid_house, clock=clock, shows=shows, work=work)
    for module, record in (
        (settle_payment, "take_in"),
        (start_payment, "take_in"),
        (paid, "take_in"),
        (send_refund, "record_answer"),
    ):
        monkeypatch.setattr(module, record, box_office.deadly(getattr(module, record)))
    for _ in range(STEPS):
        box_office.step()
    box_office.come_to_rest()
    box_office.check_the_books()
