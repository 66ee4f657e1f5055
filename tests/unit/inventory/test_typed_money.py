"""What people type as an amount is read to the cent, in either language, or refused with what to type."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inventory.money import Money, decimals_of
from inventory.typed_money import amount_to_edit, read_amount


@pytest.mark.parametrize(
    ("typed", "currency", "language", "amount"),
    [
        *[(typed, "EUR", lang, 2500) for typed in ("25.00", "25,00", "25", "025") for lang in ("en", "de")],
        ("25.5", "EUR", "de", 2550),
        ("25,5", "EUR", "en", 2550),
        (".50", "EUR", "en", 50),
        (",50", "EUR", "de", 50),
        ("0", "EUR", "en", 0),
        ("0.1", "EUR", "en", 10),
        ("1,234.50", "EUR", "de", 123450),
        ("1.234,50", "EUR", "en", 123450),
        ("1'234.50", "CHF", "de", 123450),
        ("1’234.50", "CHF", "de", 123450),
        ("1 234,50", "EUR", "de", 123450),
        ("1\N{NARROW NO-BREAK SPACE}234,50", "EUR", "de", 123450),
        ("1,234", "EUR", "en", 123400),
        ("1.234", "EUR", "de", 123400),
        ("1,234,567", "EUR", "de", 123456700),
        ("25.00 €", "EUR", "en", 2500),
        ("€ 25", "EUR", "en", 2500),
        ("25,00 eur", "EUR", "de", 2500),
        ("$25", "USD", "en", 2500),
        ("２５．００", "EUR", "en", 2500),
        ("2500", "JPY", "en", 2500),
        ("2,500", "JPY", "en", 2500),
        ("2.500", "JPY", "de", 2500),
        ("¥2,500", "JPY", "en", 2500),
        ("1.250", "KWD", "en", 1250),
        ("1,250", "KWD", "de", 1250),
        ("12.5", "KWD", "de", 12500),
        ("1,234.500", "KWD", "de", 1234500),
        ("0,250", "KWD", "de", 250),
    ],
)  # fmt: skip
def test_an_amount_is_read_as_it_was_meant(typed: str, currency: str, language: str, amount: int) -> None:
    assert read_amount(typed, currency=currency, language=language) == amount


@pytest.mark.parametrize(
    ("typed", "currency", "language", "says"),
    [
        ("abc", "EUR", "en", "Type an amount, such as 25.00."),
        ("25 abc", "EUR", "en", "Type an amount, such as 25.00."),
        ("", "EUR", "en", "Type an amount, such as 25.00."),
        ("€", "EUR", "en", "Type an amount, such as 25.00."),
        ("1e3", "EUR", "en", "Type an amount, such as 25.00."),
        ("25.", "EUR", "en", "Type an amount, such as 25.00."),
        ("12,34,56", "EUR", "en", "Type an amount, such as 25.00."),
        ("1.2.3,4", "EUR", "en", "Type an amount, such as 25.00."),
        ("1,234.5,6", "EUR", "en", "Type an amount, such as 25.00."),
        ("1234,567.00", "EUR", "en", "Type an amount, such as 25.00."),
        ("٢٥", "EUR", "en", "Type an amount, such as 25.00."),
        ("inf", "EUR", "en", "Type an amount, such as 25.00."),
        ("-5", "EUR", "en", "A price cannot be negative."),
        ("−5.00", "EUR", "en", "A price cannot be negative."),
        ("25.001", "EUR", "en", "EUR has 2 decimals. Type an amount such as 25.00."),
        ("1.234", "EUR", "en", "EUR has 2 decimals. Type an amount such as 25.00."),
        ("1.2345", "KWD", "en", "KWD has 3 decimals. Type an amount such as 25.000."),
        ("25.00", "JPY", "en", "JPY has no decimals. Type an amount such as 25."),
        ("2.500", "JPY", "en", "JPY has no decimals. Type an amount such as 25."),
        ("1,234", "KWD", "en", "“1,234” can be read in two ways. Type 1,234.000 or 1.234."),
        ("1.234", "KWD", "de", "“1.234” can be read in two ways."),
        ("25 USD", "EUR", "en", "The show sells in EUR, not in USD."),
        ("$25", "EUR", "en", "The show sells in EUR, not in $."),
        ("9" * 30, "EUR", "en", "That is too much: at most 9,999,999,999.99"),
    ],
)
def test_what_is_no_amount_or_could_be_two_is_refused_with_what_to_type(
    typed: str, currency: str, language: str, says: str
) -> None:
    with pytest.raises(ValueError, match=r".") as refused:
        read_amount(typed, currency=currency, language=language)

    assert str(refused.value).startswith(says)


@given(
    amount=st.integers(0, 10**12 - 1),
    currency=st.sampled_from(["EUR", "JPY", "KWD"]),
    shown=st.sampled_from(["en", "de"]),
    read=st.sampled_from(["en", "de"]),
)
def test_what_a_field_shows_is_read_back_to_the_cent_and_in_the_other_language_never_as_another_sum(
    amount: int, currency: str, shown: str, read: str
) -> None:
    try:
        again = read_amount(amount_to_edit(amount, currency=currency, language=shown), currency=currency, language=read)
    except ValueError:
        # Yen and dinar, whose marks mean something else there, are refused.
        assert shown != read
        assert decimals_of(currency) != 2
    else:
        assert again == amount


@given(amount=st.integers(0, 10**12 - 1), currency=st.sampled_from(["EUR", "USD", "JPY", "KWD", "CHF"]))
def test_a_formatted_amount_can_be_pasted(amount: int, currency: str) -> None:
    for language in ("en", "de"):
        text = Money(amount, currency).format(language)
        assert read_amount(text, currency=currency, language=language) == amount


@given(st.text(alphabet="0123456789.,' -€EURO\N{NO-BREAK SPACE}x", max_size=20))
def test_whatever_is_typed_is_read_or_refused_with_a_sentence(typed: str) -> None:
    try:
        assert 0 <= read_amount(typed, currency="EUR") < 10**12
    except ValueError as refusal:
        assert str(refusal).endswith((".", "€", "”"))  # noqa: PT017
