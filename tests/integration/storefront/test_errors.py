"""What is the same on all pages: what happens when something breaks, the language, and no inline script or style."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from django.db import OperationalError, connection
from django.test import Client

from boxoffice.models import Order
from inventory.models import Hold, Show
from tests.fixtures_inventory import let_lapse

pytestmark = pytest.mark.django_db


@pytest.fixture
def careless() -> Client:
    """A browser that gets the site's answer to an exception, not the exception itself."""
    return Client(raise_request_exception=False)


@pytest.fixture
def breaking() -> Iterator[Callable[[Exception], None]]:
    """Let every further statement raise this exception."""
    wrappers = []

    def let_break(error: Exception) -> None:
        def wrapper(*_args: object) -> None:
            raise error

        wrappers.append(wrapper)
        connection.execute_wrappers.append(wrapper)

    yield let_break
    for wrapper in wrappers:
        connection.execute_wrappers.remove(wrapper)


def test_an_unknown_address_is_a_friendly_404(client: Client) -> None:
    answer = client.get("/nowhere/")
    assert answer.status_code == 404
    assert "This page is not here" in answer.content.decode()


def test_a_bug_is_a_500_that_says_what_became_of_the_seats(
    careless: Client, breaking: Callable[[Exception], None]
) -> None:
    breaking(ZeroDivisionError())
    answer = careless.get("/")
    assert answer.status_code == 500
    assert "Something broke on our side" in answer.content.decode()


def test_a_database_that_is_away_is_a_503_that_says_when_to_come_back(
    careless: Client, breaking: Callable[[Exception], None]
) -> None:
    breaking(OperationalError("the connection is lost"))
    answer = careless.get("/")
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert "The box office is busy for a moment" in answer.content.decode()


def test_healthz_asks_the_database_and_nothing_else(
    client: Client, breaking: Callable[[Exception], None], django_assert_num_queries: Callable[..., object]
) -> None:
    with django_assert_num_queries(1):  # type: ignore[attr-defined]
        answer = client.get("/healthz")
    assert (answer.status_code, answer.content) == (200, b"ok\n")
    breaking(OperationalError("the connection is lost"))
    assert client.get("/healthz").status_code == 503


def test_no_page_has_inline_script_or_style_and_all_forbid_it(
    client: Client, show_on_sale: Show, order_with_tickets: Order, make_hold: Callable[..., Hold]
) -> None:
    held, lapsed = make_hold(), make_hold()
    let_lapse(lapsed)
    for address in (
        "/",
        f"/shows/{show_on_sale.slug}/",
        f"/holds/{held.token}/",
        f"/holds/{lapsed.token}/",
        f"/orders/{order_with_tickets.token}/",
        f"/orders/{order_with_tickets.token}/status/",
        "/nowhere/",
    ):
        answer = client.get(address)
        page = answer.content.decode()
        assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", page), address
        assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", page)), address
        policy = answer["Content-Security-Policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy


def test_pages_speak_the_browsers_language_and_a_choice_of_another_one_is_kept(client: Client) -> None:
    german = client.get("/", headers={"Accept-Language": "de"})
    assert '<html lang="de">' in german.content.decode()
    client.post("/language/", {"language": "en", "next": "/"})
    english = client.get("/", headers={"Accept-Language": "de"})
    assert '<html lang="en">' in english.content.decode()
