"""The list of orders in the admin: what its one box finds, what it says, and what it does not count."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from boxoffice.confirm_order import confirm_order
from boxoffice.models import Order
from boxoffice.roles.table import OPERATOR
from boxoffice.search.found import MOST_FOUND
from inventory.models import Hold
from tests.fixtures_boxoffice import place, statements
from tests.fixtures_desk import login_as
from tickets.models import Ticket

pytestmark = pytest.mark.django_db


@pytest.fixture
def support(admin_client: Client) -> Client:
    """Somebody who may see orders, and whom they are of."""
    return admin_client


@pytest.fixture
def smith_and_smyth(make_hold: Callable[..., Hold]) -> tuple[Order, Order]:
    """Two buyers whom a caller may mean, each with a ticket."""
    orders = []
    for name in ("Jo Smith", "Zoë Smyth"):
        order = place(make_hold(), name=name, email=f"{name.split()[1].lower()}@example.org")
        orders.append(confirm_order(order_id=order.pk))
    return orders[0], orders[1]


def listing(client: Client, **query: str) -> str:
    """The list's rows for this search, as HTML."""
    page = client.get(reverse("admin:boxoffice_order_changelist"), query)
    assert page.status_code == 200, page
    return page.content.decode().partition('id="changelist-form"')[2].partition("</form>")[0] or page.content.decode()


def test_one_order_that_is_just_what_was_typed_opens_at_once_and_says_why(
    support: Client, smith_and_smyth: tuple[Order, Order]
) -> None:
    _smith, smyth = smith_and_smyth
    ticket = Ticket.objects.filter(order_id=smyth.pk).first()
    assert ticket is not None
    for typed in (smyth.code, "Zoe Smyth"):
        page = support.get(reverse("admin:boxoffice_order_changelist"), {"q": typed}, follow=True)
        assert page.redirect_chain == [(reverse("admin:boxoffice_order_change", args=[smyth.pk]), 302)]
        assert f"The only order found for “{typed}”." in page.content.decode()
    listed = support.get(reverse("admin:boxoffice_order_changelist"), {"q": ticket.printed_code}, follow=True)
    assert f"Ticket {ticket.printed_code} is ours: " in listed.content.decode()


def test_an_order_that_is_nearly_so_is_listed_with_what_differs_and_does_not_open_by_itself(
    support: Client, smith_and_smyth: tuple[Order, Order]
) -> None:
    smith, smyth = smith_and_smyth
    slip = smith.code[:-2] + smith.code[-1] + smith.code[-2]
    if slip != smith.code:
        page = listing(support, q=slip)
        assert f"<mark>{smith.code}</mark>" in page
        assert "Nearly the code that was typed" in page
        assert smyth.code not in page
    both = listing(support, q="smith")
    assert both.index("Jo <mark>Smith</mark>") < both.index("Zoë <mark>Smyth</mark>")
    assert both.count("Nearly as typed") == 1


def test_filters_and_columns_work_on_what_was_found(support: Client, smith_and_smyth: tuple[Order, Order]) -> None:
    smith, smyth = smith_and_smyth
    Order.objects.filter(pk=smyth.pk).update(status=Order.Status.CANCELLED)
    page = listing(support, q="smith", status__exact="cancelled")
    assert smyth.code in page
    assert smith.code not in page
    upwards = listing(support, q="smith", o="0")
    assert (upwards.index(smith.code) < upwards.index(smyth.code)) == (smith.code < smyth.code)
    downwards = listing(support, q="smith", o="-0")
    assert (downwards.index(smith.code) < downwards.index(smyth.code)) == (smith.code > smyth.code)
    hidden = listing(support, q="smith", status__exact="refunded")
    assert "The filters hide what was found" in hidden
    assert 'href="?q=smith"' in hidden


def test_no_column_reads_as_sorted_while_what_was_found_comes_as_near_as_it_was_meant(
    support: Client, smith_and_smyth: tuple[Order, Order]
) -> None:
    def heads(**query: str) -> str:
        return listing(support, **query).partition("<tbody")[0]

    assert "sorted descending" in heads()
    found = heads(q="smith")
    assert "column-placed" in found
    assert "sorted " not in found
    assert "sorted ascending" in heads(q="smith", o="4")


def test_where_nothing_is_found_the_page_says_what_can_be_looked_for(
    support: Client, smith_and_smyth: tuple[Order, Order]
) -> None:
    page = listing(support, q="<b>nobody</b>")
    assert "No order for “&lt;b&gt;nobody&lt;/b&gt;”" in page
    assert "a seat, with the part of the house or the show" in page


def test_an_operator_is_not_told_by_marks_or_words_what_the_masks_hide(
    client: Client, smith_and_smyth: tuple[Order, Order]
) -> None:
    login_as(client, role=OPERATOR)
    address = reverse("admin:boxoffice_order_changelist")
    for typed in ("smith", "smyth@", "Zoë Smyth"):
        page = client.get(address, {"q": typed}).content.decode()
        assert "No order for" in page
        assert "a name or its beginning" not in page
    assert "or a whole e-mail address" in client.get(address).content.decode()


def test_no_list_counts_all_orders_and_no_search_lists_more_than_can_be_read(
    support: Client, smith_and_smyth: tuple[Order, Order]
) -> None:
    with statements() as seen:
        listing(support)
        listing(support, status__exact="confirmed")
        listing(support, q="smith")
    counts = [sql for sql in seen if "COUNT(" in sql and '"boxoffice_order"' in sql]
    assert counts
    assert all("LIMIT 10000" in sql for sql in counts), counts
    assert MOST_FOUND <= 1_000


def test_two_searches_of_many_take_as_many_statements_as_of_few(
    support: Client, make_hold: Callable[..., Hold]
) -> None:
    taken = []
    for _ in range(2):
        for _ in range(3):
            place(make_hold(seats=1), name="Ada Lovelace")
        with statements() as seen:
            listing(support, q="A1")
        taken.append(len(seen))
    assert taken[0] == taken[1]
