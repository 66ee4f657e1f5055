"""Calls about tickets that are not there: not made, sent to the wrong address, bounced, or not to be opened."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

from boxoffice.models import Order
from notifications.models import Notification
from tests.e2e.support_calls.conftest import Taking
from tests.e2e.support_calls.fans import House, tickets_of, use_up
from tests.e2e.support_calls.walk import asked
from tests.fixtures_esp import Esp
from tests.processes import wait_for
from tickets.selectors import document_of_order
from tickets.storage import ticket_storage

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_who_paid_and_has_no_ticket_gets_it_by_replaying_the_job_that_died(
    house_of_calls: House, esp: Esp, taking_a_call: Taking, settings: Any, tmp_path: Path
) -> None:
    (tmp_path / "a-file").touch()
    good, settings.MEDIA_ROOT = settings.MEDIA_ROOT, str(tmp_path / "a-file")
    order = house_of_calls.takes_money("A-1", "A-2")
    use_up("tickets.issue_tickets")
    settings.MEDIA_ROOT = good
    assert [ticket.status for ticket in tickets_of(order)] == ["failed", "failed"]

    with taking_a_call("I paid and have no ticket", clicks=6) as walk:
        walk.search("Lvoelace")
        walk.follow(order.code)
        walk.reads("Needs you: “Make the tickets” was given up")
        walk.looks("found")
        walk.follow("Replay…")
        walk.fill("Reason", "the storage is back")
        walk.press("Replay")
        walk.reads("“Make the tickets” starts over.", "Nothing is wrong with this order.", "Mail with the tickets sent")
        walk.done()
        walk.looks("done")

    assert [ticket.status for ticket in tickets_of(order)] == ["issued", "issued"]
    assert_that_tickets_came(esp, to="ada@example.org", pages=2)


def test_a_wrong_address_is_corrected_and_the_tickets_go_to_the_right_one_in_the_same_press(
    house_of_calls: House, esp: Esp, taking_a_call: Taking
) -> None:
    order = house_of_calls.sells("A-1", "A-2", email="ada@exmaple.org")
    esp.mailbox.empty()

    with taking_a_call("wrong e-mail address", clicks=6) as walk:
        walk.search(f"{order.code[:4]}-{order.code[4:]}".lower())
        walk.reads("ada@exmaple.org")
        walk.looks("found")
        walk.follow("Correct the address…")
        walk.fill("E-mail", "ada@example.org")
        walk.looks("asked")
        walk.fill("Reason", "the fan rang: a slip at the checkout")
        walk.press("Correct the address")
        walk.reads("go to ada@example.org from now on. The tickets go there once more.")
        walk.reads("From ada@exmaple.org to ada@example.org.", "Mail with the tickets sent again by hand")
        walk.reads_no_more("Something is being done")
        walk.done()
        walk.looks("done")

    order.refresh_from_db()
    assert order.email == "ada@example.org"
    assert_that_tickets_came(esp, to="ada@example.org", pages=2)


def test_a_mail_that_bounced_stands_on_top_and_reaches_the_fan_at_another_address(
    house_of_calls: House, esp: Esp, taking_a_call: Taking
) -> None:
    order = house_of_calls.sells("A-1", "A-2", email="bounced+lovelace@example.org")
    wait_for(lambda: Notification.objects.get().status == "bounced", what="the bounce is told")
    esp.mailbox.empty()

    with taking_a_call("the mail bounced", clicks=6) as walk:
        walk.search("bounced+lovelace@")
        walk.reads("Needs you: Mail with the tickets to bounced+lovelace@example.org did not arrive: bounced.")
        walk.looks("found")
        walk.follow("Correct the address…")
        walk.fill("E-mail", "ada.lovelace@example.org")
        walk.fill("Reason", "the fan rang: her old mailbox is closed")
        walk.press("Correct the address")
        walk.reads("The tickets go there once more.", "Nothing is wrong with this order.")
        walk.reads_no_more("Something is being done")
        walk.done()
        walk.looks("done")

    assert_that_tickets_came(esp, to="ada.lovelace@example.org", pages=2)
    newest = Notification.objects.filter(subject=order.subject).latest("pk")
    assert (newest.status in ("sent", "delivered"), newest.recipient) == (True, "ada.lovelace@example.org")


def test_a_file_that_is_damaged_is_told_from_a_fan_who_cannot_open_it_and_made_anew(
    house_of_calls: House, esp: Esp, taking_a_call: Taking
) -> None:
    order = house_of_calls.sells("A-1", "A-2")
    damage_file(order)
    esp.mailbox.empty()

    with taking_a_call("I cannot open the PDF", clicks=8) as walk:
        walk.search(order.code[:-1] + ("2" if order.code[-1] != "2" else "3"))
        walk.follow(order.code)
        walk.looks("found")
        walk.follow("Print the tickets")
        walk.reads("The file with these tickets is gone or damaged. Make the tickets anew")
        walk.follow("Make the tickets anew…")
        walk.tick("Mail the new tickets as soon as they are there")
        walk.fill("Reason", "the file was damaged")
        walk.looks("asked")
        walk.press("Make them anew")
        walk.reads("They go to ada@example.org.", "Mail with the tickets sent again by hand")
        walk.reads_no_more("Something is being done")
        walk.done()
        walk.looks("done")
        assert asked(lambda: pages_of(stored_file(order))) == 2

    assert_that_tickets_came(esp, to="ada@example.org", pages=2)


def assert_that_tickets_came(esp: Esp, *, to: str, pages: int) -> None:
    """One mail lies in the mailbox, with a file that opens."""
    message = esp.mailbox.only_message()
    assert to in str(message["to"])
    (file,) = [each for each in message["attachments"] if each["content_type"] == "application/pdf"]
    assert pages_of(esp.mailbox.fetch(file["url"])) == pages


def pages_of(content: bytes) -> int:
    return len(PdfReader(io.BytesIO(content)).pages)


def stored_file(order: Order) -> bytes:
    document = document_of_order(order_id=order.pk)
    assert document is not None
    with ticket_storage().open(document.storage_name) as file:
        return bytes(file.read())


def damage_file(order: Order) -> None:
    """The disk loses the end of it."""
    document = document_of_order(order_id=order.pk)
    assert document is not None
    path = Path(ticket_storage().path(document.storage_name))
    path.write_bytes(path.read_bytes()[:1000])
