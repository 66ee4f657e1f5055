"""What a fan sees while tickets would come late."""

from __future__ import annotations

import pytest
from django.test import Client

from boxoffice.models import Order
from inventory.models import Hold, Show
from jobs.flow.admission import forget
from jobs.models import QueueLoad
from jobs.queues import queue_named
from tests.fixtures_inventory import seat_ids

pytestmark = pytest.mark.django_db

BOUND = queue_named("tickets").refuse_above_seconds


@pytest.fixture
def a_backlog_of_tickets() -> None:
    assert BOUND is not None
    QueueLoad.objects.create(queue="tickets", ready=int(BOUND * 10 + 420), drain=10)
    forget()


def hold(client: Client, show: Show, language: str = "en") -> tuple[int, str, str | None]:
    chosen = seat_ids(show, "B-1", "B-2")
    answer = client.post(f"/shows/{show.slug}/", {"seats": chosen}, headers={"accept-language": language})
    return answer.status_code, answer.content.decode(), answer.headers.get("Retry-After")


@pytest.mark.parametrize(
    ("language", "sentence"),
    [("en", "No seats were held. Try again in 42 seconds."), ("de", "Versuchen Sie es in 42 Sekunden noch einmal.")],
)
def test_new_holds_are_refused_with_the_time_to_come_back_and_the_choice_is_kept(
    client: Client, show_on_sale: Show, a_backlog_of_tickets: None, language: str, sentence: str
) -> None:
    status, page, retry_after = hold(client, show_on_sale, language)
    assert (status, retry_after) == (503, "42")
    assert sentence in page
    assert page.count(" checked") == 2
    assert not Hold.objects.exists()


def test_who_holds_seats_already_is_served_to_the_end(
    client: Client, held_seats: Hold, a_backlog_of_tickets: None
) -> None:
    form = {"name": "Ada Løvelace", "email": "ada@example.org"}
    placed = client.post(f"/holds/{held_seats.token}/", form)
    assert placed.status_code == 303
    assert Order.objects.get().status == "confirmed"


def test_looking_is_free(client: Client, show_on_sale: Show, a_backlog_of_tickets: None) -> None:
    assert client.get(f"/shows/{show_on_sale.slug}/").status_code == 200
