"""The fan that buys in the smoke test reads pages as a browser does."""

from __future__ import annotations

import pytest

from deploy.local.fan import Page
from deploy.local.purchase import Purchase, server_times

TEXT = """
<a href="/shows/hamlet/">Hamlet</a>
<form action="/language/"><input name="next" value="/"></form>
<form method="post">
  <input type="hidden" name="csrfmiddlewaretoken" value="t&amp;k">
  <input type="checkbox" name="seats" value="1" disabled>
  <input type="checkbox" name="seats" value="2">
  <input type="checkbox" name="seats" value="3">
</form>
"""


def page(text: str = TEXT, **headers: str) -> Page:
    return Page("http://127.0.0.1:1/shows/", 200, headers, text, 1.0)


def test_a_seat_that_is_taken_cannot_be_ticked() -> None:
    form = page().form_with("seats")

    assert form is not None
    assert form.boxes == [("seats", "2"), ("seats", "3")]
    assert form.fields == {"csrfmiddlewaretoken": "t&k"}


def test_a_form_without_an_address_goes_to_its_own_page() -> None:
    form = page().form_with("seats")

    assert form is not None
    assert form.action == "http://127.0.0.1:1/shows/"


def test_links_are_whole_addresses() -> None:
    assert page().links == ["http://127.0.0.1:1/shows/hamlet/"]


def test_a_page_without_such_a_form_has_none() -> None:
    assert page().form_with("email") is None


def test_the_server_s_own_times_are_read() -> None:
    timed = page(**{"server-timing": "place;dur=3.5, confirm;dur=4.25"})

    assert server_times(timed) == {"place": 3.5, "confirm": 4.25}


@pytest.mark.parametrize("header", ["", "confirm;dur=x"])
def test_an_answer_without_times_has_none(header: str) -> None:
    assert server_times(page(**{"server-timing": header})) == {}


def test_the_order_s_secret_is_read_from_its_address() -> None:
    bought = Purchase("", "http://127.0.0.1:1/orders/secret-token/", hold=1, place=1, confirm=1)

    assert bought.token == "secret-token"
    assert bought.document_url == "http://127.0.0.1:1/orders/secret-token/tickets.pdf"
