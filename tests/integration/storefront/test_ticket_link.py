"""The link to the file with the tickets: made when it is followed, good for minutes, and for this one file."""

from __future__ import annotations

import logging
import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from boxoffice.models import Order
from boxoffice.ticket_link import GOOD_FOR
from tests.fixtures_clock import Clock
from tickets.selectors import document_of_order


@pytest.fixture
def link(client: Client, order_with_tickets: Order) -> str:
    answer = client.get(f"/orders/{order_with_tickets.token}/tickets.pdf")
    assert answer.status_code == 302
    return str(answer["Location"])


def test_a_link_names_neither_the_secret_of_the_order_nor_the_place_of_the_file(
    link: str, order_with_tickets: Order
) -> None:
    assert order_with_tickets.token not in link
    document = document_of_order(order_id=order_with_tickets.pk)
    assert document is not None
    assert document.storage_name.rpartition("/")[2].removesuffix(".pdf") not in link


def test_a_link_opens_the_file_for_some_minutes_and_nothing_after_that(client: Client, link: str, clock: Clock) -> None:
    clock.advance(GOOD_FOR - timedelta(seconds=20))
    assert client.get(link).content.startswith(b"%PDF-")
    clock.advance(timedelta(seconds=20))
    late = client.get(link)
    assert late.status_code == 404
    assert "This link to the tickets has expired." in late.content.decode()


def test_the_page_of_the_order_makes_a_fresh_link_whenever_it_is_asked(
    client: Client, link: str, order_with_tickets: Order, clock: Clock
) -> None:
    clock.advance(timedelta(days=30))
    assert client.get(f"/orders/{order_with_tickets.token}/tickets.pdf", follow=True).content.startswith(b"%PDF-")


def test_a_link_with_a_changed_letter_or_of_another_site_opens_nothing(client: Client, link: str) -> None:
    secret = link.split("/")[2]
    for place in (0, 5, len(secret) // 2, -1):
        letters = list(secret)
        letters[place] = "x" if letters[place] != "x" else "y"
        assert client.get(link.replace(secret, "".join(letters))).status_code == 404
    assert client.get("/files/x/tickets.pdf").status_code == 404


def test_the_answers_are_kept_by_no_cache_and_told_to_no_other_site(client: Client, link: str) -> None:
    answer = client.get(link)
    assert {"no-store", "private"} <= set(re.split(r",\s*", answer["Cache-Control"]))
    assert (answer["Referrer-Policy"], answer["X-Robots-Tag"]) == ("no-referrer", "noindex")
    assert (answer["Content-Type"], answer["X-Content-Type-Options"]) == ("application/pdf", "nosniff")


def test_a_link_changes_nothing_and_takes_no_form(client: Client, link: str) -> None:
    assert client.post(link).status_code == 405
    assert client.head(link).status_code == 200


def test_a_link_that_opens_nothing_is_logged_without_its_secret(
    client: Client, link: str, clock: Clock, settings: Any
) -> None:
    """Django logs the addresses that it refused; the site's own formatter takes the secret out."""
    formatting = dict(settings.LOGGING["formatters"]["structured"])
    formatter = formatting.pop("()")(**formatting)
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(formatter.format(record))  # type: ignore[method-assign]
    clock.advance(GOOD_FOR)
    logging.getLogger("django.request").addHandler(handler)
    try:
        assert client.get(link).status_code == 404
    finally:
        logging.getLogger("django.request").removeHandler(handler)
    (line,) = lines
    assert "/files/" in line
    assert link.split("/")[2] not in line
