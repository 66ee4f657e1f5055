"""An order remembers the tracked link that led to its show."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from boxoffice.came_by import code_for, note_of
from boxoffice.models import Order
from inventory.models import Hold, Show
from tests.fixtures_inventory import seat_ids

pytestmark = pytest.mark.django_db


def _buy(client: Client, show: Show, *guids: str) -> Order:
    page = f"/shows/{show.slug}/"
    client.get(page)
    client.post(page, {"seats": seat_ids(show, *guids), "alone": "yes"})
    hold = Hold.objects.filter(show=show).latest("pk")
    client.post(f"/holds/{hold.token}/", {"name": "Ada Lovelace", "email": "ada@example.org"})
    return Order.objects.get(hold=hold)


def test_an_order_keeps_the_code_of_the_link_that_led_to_its_show(client: Client, show_on_sale: Show) -> None:
    client.get(f"/shows/{show_on_sale.slug}/?via=K7mqx2")
    assert _buy(client, show_on_sale, "A-1").link_code == "k7mqx2"


def test_the_last_link_counts(client: Client, show_on_sale: Show) -> None:
    for code in ("first1", "second2"):
        client.get(f"/shows/{show_on_sale.slug}/?via={code}")
    assert _buy(client, show_on_sale, "A-1").link_code == "second2"


def test_a_link_to_one_show_is_not_credited_with_another(
    client: Client, show_on_sale: Show, make_show: Callable[..., Show]
) -> None:
    client.get(f"/shows/{show_on_sale.slug}/?via=k7mqx2")
    assert _buy(client, make_show("Other"), "A-1").link_code == ""


def test_the_form_sent_again_after_another_link_changes_nothing(client: Client, show_on_sale: Show) -> None:
    order = _buy(client, show_on_sale, "A-1")
    client.get(f"/shows/{show_on_sale.slug}/?via=k7mqx2")
    client.post(f"/holds/{order.hold.token}/", {"name": "Ada Lovelace", "email": "ada@example.org"})
    order.refresh_from_db()
    assert order.link_code == ""


@pytest.mark.parametrize("code", ["", "x" * 33, "a b", "a.b", "a\r\nSet-Cookie: x", "ä", "<b>", "٣"])
def test_what_is_no_code_is_not_remembered(client: Client, show_on_sale: Show, code: str) -> None:
    answer = client.get(f"/shows/{show_on_sale.slug}/", {"via": code})
    assert answer.status_code == 200
    assert "via" not in answer.cookies


@pytest.mark.parametrize("note", ["", "7", "7.", "8.abc", "7.ABC", "7.a.b", "７.abc", "7.abc\n", "7." + "a" * 33])
def test_a_cookie_that_somebody_made_up_is_no_code(note: str) -> None:
    assert code_for(note, show_id=7) == ""
    assert code_for(note_of("abc", show_id=7), show_id=7) == "abc"
