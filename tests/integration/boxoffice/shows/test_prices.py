"""The price list of a show: typed and read in its currency, kept in the minor unit, and never guessed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from inventory.hold_seats import hold_seats
from inventory.models import Show
from tests.fixtures_inventory import seat_ids
from tests.fixtures_staff import staff_with

pytestmark = pytest.mark.django_db


def save_prices(staff: Client, show: Show, *typed: str, language: str = "en") -> HttpResponse:
    """Save the form of the show with these as prices of its two tiers."""
    form = {
        "title": show.title, "subtitle": "", "description": "", "on_sale_at_0": "2026-01-05", "on_sale_at_1": "10:00",
        "tiers-TOTAL_FORMS": "2", "tiers-INITIAL_FORMS": "2",
    }  # fmt: skip
    for nth, (tier, price) in enumerate(zip(show.tiers.all(), typed, strict=True)):
        row = {"id": tier.pk, "show": show.pk, "name": tier.name, "price": price, "color": tier.color}
        form |= {f"tiers-{nth}-{key}": str(value) for key, value in {**row, "position": tier.position}.items()}
    address = reverse("admin:inventory_show_change", args=[show.pk])
    return staff.post(address, form, headers={"accept-language": language})


def prices(show: Show) -> list[int]:
    return list(show.tiers.order_by("position", "pk").values_list("price", flat=True))


@pytest.mark.parametrize(
    ("currency", "language", "typed", "kept", "shown"),
    [
        ("EUR", "en", ("25.00", "1,234.5"), [2500, 123450], ("25.00", "1,234.50")),
        ("EUR", "de", ("25,00", "1.234,50 €"), [2500, 123450], ("25,00", "1.234,50")),
        ("EUR", "en", ("25,00", "0"), [2500, 0], ("25.00", "0.00")),
        ("JPY", "en", ("9,800", "4500"), [9800, 4500], ("9,800", "4,500")),
        ("KWD", "de", ("12,5", "0,250"), [12500, 250], ("12,500", "0,250")),
    ],
)
def test_prices_are_typed_and_shown_in_the_shows_currency(
    staff: Client, make_show: Callable[..., Show], currency: str, language: str, typed: tuple[str, str],
    kept: list[int], shown: tuple[str, str],
) -> None:  # fmt: skip
    show = make_show(currency=currency)

    assert save_prices(staff, show, *typed, language=language).status_code == 302

    assert prices(show) == kept
    address = reverse("admin:inventory_show_change", args=[show.pk])
    page = staff.get(address, headers={"accept-language": language}).content.decode()
    assert all(f'value="{figures}"' in page for figures in shown)
    assert (f"Preis in {currency}" if language == "de" else f"price in {currency}") in page.replace("Price", "price")
    # What the page shows can be saved as it stands.
    assert save_prices(staff, show, *shown, language=language).status_code == 302
    assert prices(show) == kept


@pytest.mark.parametrize(
    ("currency", "typed", "says"),
    [
        ("EUR", "twelve", "Type an amount, such as 25.00."),
        ("EUR", "12.345", "EUR has 2 decimals."),
        ("EUR", "$12", "The show sells in EUR, not in $."),
        ("EUR", "-1", "A price cannot be negative."),
        ("EUR", "", "This field is required."),
        ("JPY", "25.00", "JPY has no decimals."),
        ("KWD", "1.234", "The last decimal must be 0, as in 1.230"),
    ],
)
def test_a_price_that_is_none_is_refused_at_its_field_which_keeps_what_was_typed(
    staff: Client, make_show: Callable[..., Show], currency: str, typed: str, says: str
) -> None:
    show = make_show(currency=currency, prices={"Front": 4200, "House": 2500})

    answer = save_prices(staff, show, typed, "30")

    page = answer.content.decode()
    assert answer.status_code == 200
    assert says in page
    assert not typed or f'value="{typed}"' in page
    assert prices(show) == [4200, 2500], "nothing is saved"


def test_who_may_only_look_sees_prices_with_their_currency(client: Client, make_show: Callable[..., Show]) -> None:
    show = make_show(prices={"Front": 4200, "House": 2500})
    viewer = staff_with(client, "view_show", "view_pricetier")

    page = viewer.get(reverse("admin:inventory_show_change", args=[show.pk])).content.decode()

    assert "42.00\N{NO-BREAK SPACE}€" in page
    assert "4200" not in page


def test_a_changed_price_counts_for_the_next_hold_and_not_for_one_that_is_there(
    staff: Client, make_show: Callable[..., Show]
) -> None:
    show = make_show(prices={"Front": 4200, "House": 2500})
    before = hold_seats(show_id=show.pk, seat_ids=seat_ids(show, "A-1"))

    save_prices(staff, show, "45.50", "25")

    before.refresh_from_db()
    assert before.prices == [4200]
    assert hold_seats(show_id=show.pk, seat_ids=seat_ids(show, "A-2")).prices == [4550]
