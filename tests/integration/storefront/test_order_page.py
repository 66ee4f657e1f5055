"""An order's page: the truth about it at each moment, its tickets, and its file."""

from __future__ import annotations

import base64
import io
import re
from html import unescape
from typing import Any

import pytest
import zxingcpp
from django.db import transaction
from django.test import Client
from PIL import Image
from pytest_django import DjangoAssertNumQueries

from boxoffice.confirm_order import confirm_order
from boxoffice.models import Order, Payment
from boxoffice.payments import transitions as payments
from boxoffice.tell_tickets import plan_tickets_mail
from jobs.models import Breaker
from notifications.models import Notification
from tests.fixtures_inventory import let_lapse
from tickets.check_ticket import check_ticket
from tickets.models import Ticket
from tickets.selectors import document_of_order
from tickets.storage import ticket_storage

pytestmark = pytest.mark.django_db


def address(order: Order) -> str:
    return f"/orders/{order.token}/"


def steps(page: str) -> list[tuple[str, str]]:
    """The steps as they stand: their state and their words."""
    found = re.findall(r'<li class="step (\w+)">.*?<span class="words">(.*?)</span>\s*</li>', page, re.DOTALL)
    return [(state, re.sub(r"<[^>]+>", "", words).strip()) for state, words in found]


@pytest.fixture
def planned_mail(order_with_tickets: Order) -> Notification:
    with transaction.atomic():
        plan_tickets_mail(order_id=order_with_tickets.pk)
    return Notification.objects.get()


def test_a_confirmed_order_says_so_at_once_while_its_tickets_are_being_issued(
    client: Client, confirmed_order: Order
) -> None:
    page = client.get(address(confirmed_order)).content.decode()
    assert "<h1>Confirmed</h1>" in page
    (confirmed, tickets, mail) = steps(page)
    assert re.fullmatch(r"The seats are yours\. \d\d:\d\d:\d\d, Berlin time", confirmed[1])
    assert [confirmed[0], *tickets, *mail] == [
        "done",
        "doing",
        "Being issued, a moment please.",
        "waiting",
        "Follows with the tickets.",
    ]
    assert 'hx-trigger="load delay:300ms"' in page
    assert "Reload this page to see your tickets." in page


def test_the_page_and_its_status_take_four_queries_each(
    client: Client, order_with_tickets: Order, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for at in (address(order_with_tickets), f"{address(order_with_tickets)}status/"):
        with django_assert_num_queries(4):
            client.get(at)


def test_a_page_that_waits_for_the_payment_turns_into_that_of_a_confirmed_order_without_being_loaded_again(
    client: Client, started_payment: Payment
) -> None:
    order = started_payment.order
    page = client.get(address(order)).content.decode()
    assert "Back to the checkout" in page
    assert "Send the tickets again" not in page
    (asks,) = re.findall(r'hx-get="([^"]+)"', page)
    assert "hx-swap-oob" not in client.get(unescape(asks)).content.decode(), "nothing has changed"

    payments.succeed(payment_id=started_payment.pk, provider_id="cs_1", intent_id="pi_1")
    confirm_order(order_id=order.pk)
    answer = client.get(unescape(asks)).content.decode()

    assert '<div hx-swap-oob="innerHTML:.heading h1">Confirmed</div>' in answer
    assert '<p id="way-on" hx-swap-oob="delete"></p>' in answer
    (links,) = re.findall(r'<section id="self-help" hx-swap-oob="true".*?</section>', answer, re.DOTALL)
    assert "Send the tickets again" in links
    # From then on the links stay as they are, with whoever is at them.
    (asks,) = re.findall(r'hx-get="([^"]+)"', answer)
    assert "self-help" not in client.get(unescape(asks)).content.decode()


def test_issued_tickets_stand_on_the_page_with_their_codes_to_scan(client: Client, order_with_tickets: Order) -> None:
    page = client.get(address(order_with_tickets)).content.decode()
    pictures = re.findall(r'src="data:image/png;base64,([^"]+)"', page)
    assert len(pictures) == 2
    for picture, ticket in zip(pictures, Ticket.objects.order_by("seat__position"), strict=True):
        (code,) = zxingcpp.read_barcodes(Image.open(io.BytesIO(base64.b64decode(picture))))
        assert check_ticket(payload=code.text).ticket.pk == ticket.pk
        assert ticket.printed_code in page
    assert f'href="{address(order_with_tickets)}tickets.pdf"' in page


def test_tickets_that_are_not_issued_show_no_code(client: Client, confirmed_order: Order) -> None:
    page = client.get(address(confirmed_order)).content.decode()
    assert "data:image/png" not in page
    assert "tickets.pdf" not in page


@pytest.mark.parametrize(
    ("status", "state", "words", "asks_on"),
    [
        ("queued", "doing", "On its way to ada@example.org.", True),
        ("failed", "trouble", "It could not be delivered to ada@example.org.", False),
        ("bounced", "trouble", "It could not be delivered to ada@example.org.", False),
    ],
)
def test_the_mail_is_told_as_it_stands(
    client: Client,
    order_with_tickets: Order,
    planned_mail: Notification,
    status: str,
    state: str,
    words: str,
    asks_on: bool,
) -> None:
    Notification.objects.update(status=status)
    page = client.get(address(order_with_tickets)).content.decode()
    assert steps(page)[2][0] == state
    assert steps(page)[2][1].startswith(words)
    assert ("hx-get" in page) == asks_on


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "The mail service does not answer. The mail to ada@example.org leaves when it does; your tickets"),
        ("de", "Der Maildienst antwortet nicht."),
    ],
)
def test_while_the_mail_service_is_away_the_page_says_so_and_that_the_tickets_are_here(
    client: Client, order_with_tickets: Order, planned_mail: Notification, language: str, words: str
) -> None:
    Breaker.objects.create(destination="mail", state="open")
    page = client.get(address(order_with_tickets), headers={"accept-language": language}).content.decode()
    assert [state for state, _words in steps(page)] == ["done", "done", "waiting"]
    assert steps(page)[2][1].startswith(words)
    assert "hx-get" in page
    assert "tickets.pdf" in page


def test_when_the_mail_is_sent_the_page_is_complete_and_asks_no_more(
    client: Client, order_with_tickets: Order, planned_mail: Notification
) -> None:
    Notification.objects.update(status="sent", sent_at=order_with_tickets.confirmed_at)
    page = client.get(address(order_with_tickets)).content.decode()
    assert [state for state, _words in steps(page)] == ["done", "done", "done"]
    assert "hx-get" not in page
    assert "Reload this page" not in page


def test_a_ticket_that_failed_says_that_somebody_is_on_it(client: Client, confirmed_order: Order) -> None:
    Ticket.objects.filter(order_id=confirmed_order.pk).update(status="failed")
    page = client.get(address(confirmed_order)).content.decode()
    assert steps(page)[1][0] == "trouble"
    assert "We are on it" in steps(page)[1][1]
    assert "<h1>Confirmed</h1>" in page


def test_the_status_sends_nothing_but_the_next_question_while_nothing_changes(
    client: Client, confirmed_order: Order
) -> None:
    page = client.get(address(confirmed_order)).content.decode()
    (question,) = re.findall(r'hx-get="([^"]+)"', page)
    answer = client.get(question.replace("&amp;", "&")).content.decode()
    assert "step" not in answer
    assert 'hx-trigger="load delay:400ms"' in answer


def test_the_status_sends_the_steps_and_tickets_when_they_have_changed(
    client: Client, order_with_tickets: Order
) -> None:
    answer = client.get(f"{address(order_with_tickets)}status/?round=3&seen=00000000").content.decode()
    assert [state for state, _words in steps(answer)] == ["done", "done", "waiting"]
    assert answer.count("data:image/png") == 2
    assert "<html" not in answer


def test_a_page_that_has_asked_for_minutes_gives_up_with_a_link(client: Client, confirmed_order: Order) -> None:
    answer = client.get(f"{address(confirmed_order)}status/?round=59").content.decode()
    assert "hx-get" not in answer
    assert "Load the page again later" in answer


def test_the_file_is_handed_out_to_be_saved(
    client: Client, order_with_tickets: Order, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(5):
        answer = client.get(f"{address(order_with_tickets)}tickets.pdf", follow=True)
    assert answer.content.startswith(b"%PDF-")
    assert answer["Content-Type"] == "application/pdf"
    assert answer["Content-Disposition"] == f'attachment; filename="tickets-{order_with_tickets.code}.pdf"'
    assert "no-store" in answer["Cache-Control"]


def test_the_file_is_not_found_before_it_is_stored(client: Client, confirmed_order: Order) -> None:
    assert client.get(f"{address(confirmed_order)}tickets.pdf").status_code == 404


def test_tickets_that_are_not_stored_are_answered_with_what_to_do_and_kept_by_no_cache(
    client: Client, confirmed_order: Order
) -> None:
    answer = client.get(f"{address(confirmed_order)}tickets.pdf")
    assert "Look at the order&#x27;s page again in a moment." in answer.content.decode()
    assert "no-store" in answer.headers["Cache-Control"]


def test_a_ticket_file_that_was_lost_breaks_no_page(client: Client, order_with_tickets: Order) -> None:
    document = document_of_order(order_id=order_with_tickets.pk)
    assert document is not None
    ticket_storage().delete(document.storage_name)
    answer = client.get(f"{address(order_with_tickets)}tickets.pdf", follow=True)
    assert answer.status_code == 404
    assert client.get(address(order_with_tickets)).status_code == 200


@pytest.mark.parametrize("rest", ["", "status/", "tickets.pdf"])
def test_an_unknown_order_is_a_404_that_says_what_to_do(client: Client, rest: str) -> None:
    answer = client.get(f"/orders/{'x' * 32}/{rest}")
    assert answer.status_code == 404
    assert "There is no such order. Check the link in your e-mail." in answer.content.decode()


def test_an_order_that_is_not_confirmed_leads_back_to_its_checkout(client: Client, placed_order: Order) -> None:
    page = client.get(address(placed_order)).content.decode()
    assert "Not confirmed yet" in page
    assert f'href="/holds/{placed_order.hold.token}/"' in page
    assert "hx-get" not in page


def test_an_order_that_came_to_nothing_says_so(client: Client, placed_order: Order) -> None:
    let_lapse(placed_order.hold)
    Order.objects.filter(pk=placed_order.pk).update(status="expired")
    page = client.get(address(placed_order)).content.decode()
    assert "<h1>Expired</h1>" in page
    assert "Choose seats again" in page


@pytest.mark.parametrize("rest", ["", "status/", "tickets.pdf"])
def test_the_secret_in_the_address_is_kept_by_no_cache_and_told_to_no_other_site(
    client: Client, order_with_tickets: Order, rest: str
) -> None:
    answer = client.get(address(order_with_tickets) + rest)
    assert {"no-store", "private"} <= set(re.split(r",\s*", answer["Cache-Control"]))
    assert answer["Referrer-Policy"] == "no-referrer"
    assert answer["X-Robots-Tag"] == "noindex"


def test_the_page_has_no_form_since_a_form_without_a_referrer_is_refused(
    client: Client, order_with_tickets: Order
) -> None:
    assert "<form" not in client.get(address(order_with_tickets)).content.decode()


def test_htmx_may_neither_evaluate_texts_nor_add_styles(client: Client, confirmed_order: Order, settings: Any) -> None:
    page = client.get(address(confirmed_order)).content.decode()
    (config,) = re.findall(r"<meta name=\"htmx-config\" content='([^']+)'>", page)
    assert '"allowEval": false' in config
    assert '"includeIndicatorStyles": false' in config
