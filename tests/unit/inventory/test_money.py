"""Money is an integer with its currency, and reads as the reader's language writes it."""

from __future__ import annotations

import pytest
from django.template import Context, Template
from django.utils.translation import override
from hypothesis import given
from hypothesis import strategies as st

from inventory.money import Money, decimals_of

NBSP = "\N{NO-BREAK SPACE}"


@pytest.mark.parametrize(
    ("amount", "currency", "english", "german"),
    [
        (8400, "EUR", f"84.00{NBSP}€", f"84,00{NBSP}€"),
        (123456789, "EUR", f"1,234,567.89{NBSP}€", f"1.234.567,89{NBSP}€"),
        (5, "EUR", f"0.05{NBSP}€", f"0,05{NBSP}€"),
        (0, "EUR", f"0.00{NBSP}€", f"0,00{NBSP}€"),
        (-1250, "EUR", f"−12.50{NBSP}€", f"−12,50{NBSP}€"),
        (123450, "USD", "$1,234.50", f"1.234,50{NBSP}$"),
        (999, "GBP", "£9.99", f"9,99{NBSP}£"),
        (-999, "GBP", "−£9.99", f"−9,99{NBSP}£"),
        (8400, "JPY", "¥8,400", f"8.400{NBSP}¥"),
        (12345, "KWD", f"12.345{NBSP}KWD", f"12,345{NBSP}KWD"),
        (1234567, "BHD", f"1,234.567{NBSP}BHD", f"1.234,567{NBSP}BHD"),
        (5000, "CHF", f"50.00{NBSP}CHF", f"50,00{NBSP}CHF"),
    ],
)
def test_an_amount_reads_as_the_language_writes_it(amount: int, currency: str, english: str, german: str) -> None:
    assert Money(amount, currency).format("en") == english
    assert Money(amount, currency).format("de") == german


def test_the_active_language_decides_when_none_is_named() -> None:
    with override("de-at"):
        assert str(Money(150000, "EUR")) == f"1.500,00{NBSP}€"
    with override(None):
        assert str(Money(150000, "EUR")) == f"1,500.00{NBSP}€"


@pytest.mark.parametrize(("currency", "decimals"), [("EUR", 2), ("USD", 2), ("JPY", 0), ("KRW", 0), ("TND", 3)])
def test_currencies_have_their_decimals(currency: str, decimals: int) -> None:
    assert decimals_of(currency) == decimals


def test_amounts_of_one_currency_add_up() -> None:
    assert Money(250, "EUR") + Money(175, "EUR") == Money(425, "EUR")
    assert Money.sum([Money(1, "EUR"), Money(2, "EUR"), Money(3, "EUR")], currency="EUR") == Money(6, "EUR")
    assert Money.sum([], currency="JPY") == Money(0, "JPY")


def test_different_currencies_cannot_be_added() -> None:
    with pytest.raises(ValueError, match="EUR and USD cannot be added"):
        Money(1, "EUR") + Money(1, "USD")
    with pytest.raises(ValueError, match="cannot be added"):
        Money.sum([Money(1, "USD")], currency="EUR")
    with pytest.raises(TypeError):
        Money(1, "EUR") + 1  # type: ignore[operator]


@pytest.mark.parametrize("currency", ["eur", "EURO", "", "E1R", "€", "EUR\n"])
def test_what_is_no_currency_code_is_refused(currency: str) -> None:
    with pytest.raises(ValueError, match="three capital letters"):
        Money(1, currency)


@pytest.mark.parametrize("amount", [1.5, "100", None, True])
def test_an_amount_that_is_no_integer_is_refused(amount: object) -> None:
    with pytest.raises(TypeError, match="whole number of minor units"):
        Money(amount, "EUR")  # type: ignore[arg-type]


def test_only_nothing_is_false() -> None:
    assert not Money(0, "EUR")
    assert Money(-1, "EUR")


@given(amount=st.integers(-(10**15), 10**15), currency=st.sampled_from(["EUR", "JPY", "KWD"]))
def test_no_digit_is_lost_in_writing(amount: int, currency: str) -> None:
    text = Money(amount, currency).format("de")
    digits = "".join(mark for mark in text if mark.isdigit())

    assert int(digits) * (-1 if "−" in text else 1) == amount


def render(template: str, **values: object) -> str:
    return Template("{% load money %}" + template).render(Context(values))


def test_the_filters_take_money_or_an_amount_with_its_currency() -> None:
    assert render("{{ total|money }}", total=Money(8400, "EUR")) == f"84.00{NBSP}€"
    assert render("{{ price|money:code }}", price=8400, code="JPY") == "¥8,400"
    assert render("{{ price|money:code }}", price=None, code="JPY") == ""


def test_a_price_of_nothing_reads_free() -> None:
    assert render("{{ total|price }}", total=Money(0, "EUR")) == "free"
    assert render("{{ total|price }}", total=Money(1, "EUR")) == f"0.01{NBSP}€"
    assert render("{{ total|price }}", total=None) == ""
