"""What a fan sees and can save after tickets of the order were given back."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from django.core.files.base import File
from django.core.files.storage import FileSystemStorage
from django.test import Client
from pypdf import PdfReader

from boxoffice.errors import NothingToSay
from boxoffice.messages import tickets_ready
from boxoffice.models import Order, OrderLine
from boxoffice.refunds.refund_order import refund_order
from tests.fixtures_refunds import WHO_AND_WHY
from tickets.errors import DocumentOutdated
from tickets.models import Ticket
from tickets.renew_document import renew_document

pytestmark = pytest.mark.django_db


@pytest.fixture
def half_given_back(order_with_tickets: Order) -> Order:
    """The first of two seats was given back; no job has run since."""
    (first, _second) = OrderLine.objects.filter(order=order_with_tickets).order_by("pk").values_list("pk", flat=True)
    refund_order(order_id=order_with_tickets.pk, line_ids=[first], **WHO_AND_WHY)
    return order_with_tickets


@pytest.fixture
def all_given_back(order_with_tickets: Order) -> Order:
    refund_order(order_id=order_with_tickets.pk, **WHO_AND_WHY)
    return order_with_tickets


def file_of(client: Client, order: Order) -> Any:
    return client.get(f"/orders/{order.token}/tickets.pdf", follow=True)


def test_a_file_with_a_void_ticket_is_not_handed_out_and_a_page_asks_again_until_the_new_one_is_there(
    client: Client, half_given_back: Order
) -> None:
    answer = file_of(client, half_given_back)
    page = answer.content.decode()
    assert (answer.status_code, answer["Retry-After"], answer["Content-Type"]) == (202, "2", "text/html; charset=utf-8")
    assert "<h1>Your tickets are being issued anew</h1>" in page
    (again,) = re.findall(r'http-equiv="refresh" content="2; url=(\?round=\d+)"', page)
    renew_document(order_id=half_given_back.pk)
    answer = client.get(f"/orders/{half_given_back.token}/tickets.pdf{again}", follow=True)
    (only,) = PdfReader(io.BytesIO(answer.content)).pages
    valid, void = (Ticket.objects.get(status=status).printed_code for status in ("issued", "void"))
    assert valid in only.extract_text()
    assert void not in only.extract_text()


def test_a_link_from_before_the_refund_opens_no_void_ticket(client: Client, order_with_tickets: Order) -> None:
    link = client.get(f"/orders/{order_with_tickets.token}/tickets.pdf")["Location"]
    refund_order(
        order_id=order_with_tickets.pk, line_ids=[OrderLine.objects.values_list("pk", flat=True)[0]], **WHO_AND_WHY
    )
    answer = client.get(link)
    assert answer.status_code == 202
    assert order_with_tickets.token not in answer.content.decode()


class RefundingWhileRead(FileSystemStorage):
    """A refund commits after the page has looked, while it reads the file."""

    order_id: int

    def _open(self, name: str, mode: str = "rb") -> File:
        refund_order(
            order_id=self.order_id, line_ids=[OrderLine.objects.values_list("pk", flat=True)[0]], **WHO_AND_WHY
        )
        return super()._open(name, mode)


def test_a_refund_while_the_file_is_read_is_seen_before_it_leaves(
    client: Client, order_with_tickets: Order, settings: Any
) -> None:
    RefundingWhileRead.order_id = order_with_tickets.pk
    backend = f"{__name__}.{RefundingWhileRead.__name__}"
    settings.STORAGES = {**settings.STORAGES, "default": {"BACKEND": backend}}
    assert file_of(client, order_with_tickets).status_code == 202


def test_when_all_was_given_back_the_file_is_gone_and_a_page_says_why(client: Client, all_given_back: Order) -> None:
    for _before_and_after_the_job in range(2):
        answer = file_of(client, all_given_back)
        assert answer.status_code == 410
        assert "They let nobody in any more." in answer.content.decode()
        renew_document(order_id=all_given_back.pk)


def test_the_page_says_what_is_void_and_waits_for_the_new_file(client: Client, half_given_back: Order) -> None:
    address = f"/orders/{half_given_back.token}/"
    page = client.get(address).content.decode()
    assert "The file is being issued anew without what was given back" in page
    assert "tickets.pdf" not in page
    assert "hx-get" in page
    assert page.count("data:image/png") == 1
    (void,) = Ticket.objects.filter(status="void")
    section = page.partition("This ticket lets nobody in any more")[2]
    assert void.printed_code in section
    assert "Void: " in section
    renew_document(order_id=half_given_back.pk)
    page = client.get(address).content.decode()
    assert "tickets.pdf" in page
    assert "being issued anew" not in page


def test_the_mail_with_the_tickets_waits_for_the_new_file(half_given_back: Order) -> None:
    with pytest.raises(DocumentOutdated):
        tickets_ready.draft(subject=half_given_back.subject)
    renew_document(order_id=half_given_back.pk)
    file, _calendar = tickets_ready.draft(subject=half_given_back.subject).attachments
    assert len(PdfReader(io.BytesIO(file.content)).pages) == 1


def test_no_mail_brings_tickets_that_were_all_given_back(all_given_back: Order) -> None:
    with pytest.raises(NothingToSay):
        tickets_ready.draft(subject=all_given_back.subject)
