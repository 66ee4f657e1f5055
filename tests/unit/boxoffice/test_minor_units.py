"""Amounts as the payment provider counts them, there and back (docs.stripe.com, "Supported currencies")."""

from __future__ import annotations

import pytest

from boxoffice.payments.errors import NotChargeable
from boxoffice.payments.minor_units import our_money, provider_amount
from inventory.money import Money

WAYS = [
    ("EUR", 8_400, 8_400),
    ("JPY", 1_500, 1_500),  # no decimals
    ("KWD", 12_340, 12_340),  # three, charged to the second
    ("ISK", 5_000, 500_000),  # none, and written with two
    ("UGX", 1, 100),
    ("HUF", 250_055, 250_055),  # two; only payouts are without
    ("TWD", 99_900, 99_900),
]


@pytest.mark.parametrize(("currency", "ours", "theirs"), WAYS)
def test_an_amount_is_the_same_there_and_back(currency: str, ours: int, theirs: int) -> None:
    assert provider_amount(Money(ours, currency)) == theirs
    assert our_money(theirs, currency) == Money(ours, currency)


@pytest.mark.parametrize(("currency", "ours"), [("KWD", 12_345), ("BHD", 1), ("TND", 1_009)])
def test_a_price_below_what_is_charged_is_refused_and_not_rounded(currency: str, ours: int) -> None:
    with pytest.raises(NotChargeable):
        provider_amount(Money(ours, currency))


@pytest.mark.parametrize(("currency", "theirs"), [("ISK", 500_050), ("UGX", 1), ("KWD", 12_345)])
def test_a_sum_that_could_not_be_given_back_as_it_came_is_none_of_ours(currency: str, theirs: int) -> None:
    assert our_money(theirs, currency) is None
