"""What those see of fans who need not know them."""

from __future__ import annotations

import re

import pytest
from django.apps import apps
from django.test import Client
from django.urls import reverse

from boxoffice.roles.table import FINANCE, OPERATOR, PROMOTER, SUPPORT, permissions_of
from jobs.personal import masked_address, masked_name, masked_text
from tests.desk_pages import desk_pages
from tests.fixtures_desk import ADDRESS, EARLIER_ADDRESS, FORENAME, SURNAME, Desk, login_as
from tickets.models import Ticket

pytestmark = pytest.mark.django_db

TELLING = (FORENAME, SURNAME, ADDRESS.partition("@")[0])


def opened(client: Client, desk: Desk, *, role: str) -> dict[str, str]:
    """What each page that the role may open says, by the page's name."""
    login_as(client, role=role)
    may = permissions_of(role=role)
    pages = {page.name: desk.address_of(page) for page in desk_pages() if may.intersection(page.opened_by)}
    answers = {name: client.get(address, follow=True) for name, address in pages.items()}
    # A drawing is no text, and is looked through all the same.
    return {
        name: b"".join(answer).decode(errors="replace") for name, answer in answers.items() if answer.status_code == 200
    }


@pytest.mark.parametrize("role", [OPERATOR, PROMOTER])
def test_who_need_not_know_finds_neither_name_nor_address_on_any_page(
    client: Client, full_desk: Desk, role: str
) -> None:
    pages = opened(client, full_desk, role=role)
    # Whoever has an order's or a hold's token is the fan: his page names him.
    words = (*TELLING, full_desk.order.token, str(full_desk.order.hold.token))
    telling = {name: [word for word in words if word.lower() in page.lower()] for name, page in pages.items()}
    assert {name: words for name, words in telling.items() if words} == {}
    assert "inventory_show_changelist" in pages


def test_initials_tell_an_operator_that_it_is_this_order(client: Client, full_desk: Desk) -> None:
    pages = opened(client, full_desk, role=OPERATOR)
    for name in ("boxoffice_order_changelist", "boxoffice_order_change", "notifications_notification_changelist"):
        assert "z…@example.org" in pages[name], name
    for name in ("boxoffice_order_changelist", "boxoffice_order_change", "tickets_ticket_changelist"):
        assert "Z… Q…" in pages[name], name


@pytest.mark.parametrize("role", [SUPPORT, FINANCE])
def test_who_speaks_with_fans_sees_whom_they_speak_with(client: Client, full_desk: Desk, role: str) -> None:
    login_as(client, role=role)
    page = client.get(reverse("admin:boxoffice_order_change", args=[full_desk.order.pk])).content.decode()
    assert SURNAME in page
    assert ADDRESS in page
    assert EARLIER_ADDRESS in page


@pytest.mark.parametrize(
    ("page", "whole", "part"),
    [
        ("boxoffice_order", ADDRESS, "quendel"),
        ("notifications_notification", ADDRESS, "quendel"),
        ("notifications_suppression", ADDRESS, "quendel"),
        ("tickets_ticket", f"{FORENAME} {SURNAME}", SURNAME[:6]),
    ],
)
def test_an_operator_finds_by_the_whole_of_what_a_caller_says_and_not_letter_by_letter(
    client: Client, full_desk: Desk, page: str, whole: str, part: str
) -> None:
    login_as(client, role=OPERATOR)
    address = reverse(f"admin:{page}_changelist")

    def finds(text: str) -> bool:
        answer = client.get(address, {"q": text})
        return answer.status_code == 302 or "field-" in answer.content.decode()  # the one, or a list with rows

    assert {text: finds(text) for text in (whole, part)} == {whole: True, part: False}


@pytest.mark.parametrize(
    ("page", "column"),
    [
        ("boxoffice_order", "name"),
        ("boxoffice_order", "email"),
        ("boxoffice_order", "token"),
        ("notifications_notification", "recipient"),
        ("tickets_ticket", "holder_name"),
    ],
)
def test_no_list_is_filtered_letter_by_letter(client: Client, full_desk: Desk, page: str, column: str) -> None:
    login_as(client, role=OPERATOR)
    address = reverse(f"admin:{page}_changelist")
    ways = ("", "__startswith", "__icontains", "__regex", "__gt", "__gte", "__in")
    assert {client.get(address, {f"{column}{how}": "z"}).status_code for how in ways} == {400}


@pytest.mark.parametrize(
    ("page", "shown", "column"),
    [
        ("boxoffice_order", "buyer", "name"),
        ("notifications_notification", "to", "recipient"),
        ("notifications_suppression", "address", "address"),
        ("notifications_suppression", "detail", "detail"),
        ("tickets_ticket", "holder_name", "holder_name"),
    ],
)
def test_no_list_is_sorted_by_what_it_masks(
    client: Client, full_desk: Desk, page: str, shown: str, column: str
) -> None:
    # Who places an order of his own in the name of "Qu" would see whether the other one comes before or after it.
    def sorts(role: str) -> set[bool]:
        login_as(client, role=role)
        address = reverse(f"admin:{page}_changelist")
        nth = client.get(address).context["cl"].list_display.index(shown)
        answer = client.get(address, {"o": str(nth)})
        heads = re.findall(r'<th scope="col" class="([^"]*)"', answer.content.decode())
        offered = any("sortable" in head and f"column-{shown}" in head for head in heads)
        return {offered, column in answer.context["cl"].queryset.query.order_by}

    assert (sorts(OPERATOR), sorts(SUPPORT)) == ({False}, {True})


def test_no_choice_that_completes_itself_names_a_fan(client: Client, full_desk: Desk) -> None:
    # Django answers for every relation of every model, whether or not a form of ours asks.
    login_as(client, role=OPERATOR)
    asked = [
        {"app_label": model._meta.app_label, "model_name": model._meta.model_name, "field_name": field.name, "term": ""}
        for model in apps.get_models()
        for field in model._meta.fields
        if field.is_relation and field.related_model._meta.app_label != "django_celery_beat"
    ]
    answers = [client.get(reverse("admin:autocomplete"), query) for query in asked]
    # Of a list that nobody can search there are no choices: 404.
    assert {200, 403} <= {answer.status_code for answer in answers} <= {200, 403, 404}
    assert [word for word in TELLING for answer in answers if word.lower() in answer.content.decode().lower()] == []


def test_the_filters_of_the_orders_list_still_filter(client: Client, full_desk: Desk) -> None:
    login_as(client, role=OPERATOR)
    address, order = reverse("admin:boxoffice_order_changelist"), full_desk.order
    placed = {"placed_at__gte": "2020-01-01 00:00:00+00:00", "placed_at__lt": "2090-01-01 00:00:00+00:00"}
    venue = {"show__venue__id__exact": str(order.show.venue_id)}
    for asked in (placed, venue, {"status__exact": order.status}, {"attention": "needed"}):
        assert client.get(address, asked).context["cl"].result_count == 1, asked
    assert client.get(address, {"status__exact": "cancelled"}).context["cl"].result_count == 0
    shows = reverse("admin:inventory_show_changelist")
    day = order.show.starts_at_local
    assert client.get(shows, {"starts_at__year": day.year, "starts_at__month": day.month}).status_code == 200
    assert client.get(shows, {"starts_at__year": 2026, "starts_at__month": 6, "starts_at__day": 31}).status_code == 400


def test_the_answer_about_a_ticket_does_not_say_what_was_written_at_the_door(client: Client, full_desk: Desk) -> None:
    address, code = reverse("admin:boxoffice_order_changelist"), Ticket.objects.filter(scans__isnull=False).get().code

    def said(role: str) -> str:
        login_as(client, role=role)
        return client.get(address, {"q": code}, follow=True).content.decode()

    assert SURNAME not in said(OPERATOR)
    assert SURNAME in said(SUPPORT)


def test_masks_keep_the_initials_and_the_host() -> None:
    assert masked_name("Ada  King Lovelace") == "A… K… L…"
    assert masked_name("") == ""
    assert masked_address("ada@example.org") == "a…@example.org"
    assert masked_address("push:7") == "push:7"


def test_words_about_a_fan_lose_his_name_his_address_and_his_number() -> None:
    said = "Ada (LOVELACE, not Lovelaces) rang from +49 30 1234567, writes from ada@example.org and al@example.net"
    assert masked_text(said, name="Ada Lovelace", address="ada@example.org") == (
        "A… (L…, not Lovelaces) rang from [a number], writes from a…@example.org and [an e-mail address]"
    )
    assert masked_text("50 \\1 (x", name="x (\\1", address="") != ""
