"""Orders that cost money, with the payment provider's stand-in to pay them at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client

from boxoffice.models import Order, Payment
from inventory.models import Hold
from tests.fixtures_boxoffice import place
from tests.fixtures_payments import Payments
from tests.payment_keys import API_KEY, WEBHOOK_SECRET

ADA = {"name": "Ada Lovelace", "email": "ada@example.org"}


@pytest.fixture
def paid_house(payments: Payments, settings: Any) -> Payments:
    """The stand-in, and a box office that pays there."""
    settings.STRIPE_API_BASE, settings.STRIPE_API_KEY = payments.address, API_KEY
    settings.STRIPE_WEBHOOK_SECRET = WEBHOOK_SECRET
    return payments


@pytest.fixture
def dear_hold(make_hold: Callable[..., Hold], paid_house: Payments) -> Hold:
    """Two seats of 42.00 €."""
    return make_hold(prices={"Front": 4200, "House": 1200})


@pytest.fixture
def dear_order(dear_hold: Hold) -> Order:
    """Two seats of 42.00 €, waiting for their payment; nobody has pressed "Pay"."""
    return place(dear_hold)


@pytest.fixture
def started_payment(client: Client, dear_hold: Hold) -> Payment:
    """The fan is on the payment page."""
    press_pay(client, dear_hold)
    return Payment.objects.select_related("order").get()


def press_pay(client: Client, hold: Hold, **typed: str) -> Any:
    """Send the checkout's form."""
    return client.post(f"/holds/{hold.token}/", ADA | typed)


def pay(payments: Payments, payment: Payment, card: str = "pays", **given: Any) -> dict[str, str]:
    """Pay on the payment page."""
    return payments.post("pay", session=payment.provider_id, card=card, **given)


def come_back(client: Client, payment: Payment) -> Any:
    """Follow the payment page's way back, as it was given to the provider."""
    way = urlsplit(payment.request["success_url"].replace("{CHECKOUT_SESSION_ID}", payment.provider_id))
    return client.get(f"{way.path}?{way.query}")
