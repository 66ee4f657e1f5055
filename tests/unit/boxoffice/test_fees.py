"""What a fee may be, as somebody wrote it down; and amounts as the provider counts them, in words."""

from __future__ import annotations

import pytest

from boxoffice.reconciliation.amounts import in_words
from boxoffice.reconciliation.fees import FeeRange, Rate, read_fees
from config.acceptable import fees


def test_a_currency_has_one_rate_or_a_range() -> None:
    assert read_fees("EUR=1.5%+0.25..3.25%+0.25  JPY=3.6% KWD=2%+0.1") == (
        FeeRange("EUR", Rate(1_500_000, 25), Rate(3_250_000, 25)),
        FeeRange("JPY", Rate(3_600_000, 0), Rate(3_600_000, 0)),
        FeeRange("KWD", Rate(2_000_000, 100), Rate(2_000_000, 100)),
    )
    assert read_fees("") == ()


@pytest.mark.parametrize(
    "text",
    [
        "EUR",
        "EUR=1.5",
        "eur=1.5%",
        "EUR=1.5%+0.255",
        "JPY=1%+0.5",
        "EUR=3%..1%",
        "EUR=1% EUR=2%",
        "EUR=1.5%+0.25...3%",
        "EUR=1.23456789%",
        "EUR=-1%",
    ],
)
def test_what_is_no_fee_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"fee|card"):
        read_fees(text)


@pytest.mark.parametrize("text", ["", "EUR=1.5%+0.25..3.25%+0.25 JPY=3.6%", "KWD=2%+0.1"])
def test_a_setting_that_can_be_read_is_accepted(text: str) -> None:
    read_fees(text)
    assert fees(text)


@pytest.mark.parametrize("text", ["EUR", "EUR=1.5", "eur=1.5%", "EUR=1% EUR=2%", "EUR=1.5%+0.25...3%", "EUR=-1%"])
def test_a_setting_that_cannot_be_read_stops_the_start(text: str) -> None:
    assert not fees(text)


def test_what_the_provider_counts_is_told_in_words() -> None:
    space = "\N{NO-BREAK SPACE}"
    assert in_words(-8_400, "EUR", "en") == f"−84.00{space}€"
    assert in_words(7_525, "ISK", "de") == f"75,25{space}ISK"
    assert in_words(5_000, "JPY", "en") == "¥5,000"
