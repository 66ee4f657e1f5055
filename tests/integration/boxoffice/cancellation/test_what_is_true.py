"""What is said of a cancelled show is so: who was told, and where its money is."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from uuid import uuid4

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader

from boxoffice.attention.find_items import find_items
from boxoffice.attention.kinds import KINDS
from boxoffice.cancellation import workflow
from boxoffice.cancellation.start import cancel_show
from boxoffice.cancellation.write_off import write_off
from boxoffice.correct_address import correct_address
from boxoffice.models import Cancellation, Dispute, Order, Payment, Refund
from boxoffice.refunds import transitions
from inventory.models import Show
from jobs.clock import DatabaseNow
from notifications.models import Notification

pytestmark = pytest.mark.django_db

WHY = {"by": "anna", "reason": "the singer is ill"}
RIGHT = "right@example.org"


def planned(show: Show) -> Cancellation:
    """Cancelled, with all refunds and mails planned and none sent."""
    show.refresh_from_db()
    cancellation = cancel_show(show_id=show.pk, seen=show.version, name=show.title, **WHY)
    while cancellation.phase != "waiting":
        with transaction.atomic():
            workflow.go_on(cancellation_id=cancellation.pk, phase=cancellation.phase, cursor=cancellation.cursor)
        cancellation.refresh_from_db()
    return cancellation


def page_of(staff: Client, order: Order) -> str:
    return staff.get(reverse("admin:inventory_show_cancellation", args=[order.show_id])).content.decode()


def report_of(staff: Client, order: Order) -> dict[str, str]:
    answer = staff.get(reverse("admin:inventory_show_cancellation_csv", args=[order.show_id]))
    heads, line = csv.reader(io.StringIO(answer.getvalue().decode("utf-8-sig")))
    return dict(zip(heads, line, strict=True))


def dispute(order: Order, status: str) -> None:
    Dispute.objects.create(
        payment=Payment.objects.get(order=order), provider_id="dp_1", status=status, amount=8_400, currency="EUR",
        withdrawn=8_400, opened_at=DatabaseNow(), asked_at=DatabaseNow(),
    )  # fmt: skip


# --- where the money is -----------------------------------------------------------------------------------------------


def _given_back(order: Order) -> None:
    planned(order.show)
    transitions.mark_succeeded(refund_id=Refund.objects.get().pk, provider_id="re_1")


def _disputed(order: Order) -> None:
    dispute(order, "needs_response")
    planned(order.show)


def _lost(order: Order) -> None:
    dispute(order, "lost")
    planned(order.show)


def _written_off(order: Order) -> None:
    planned(order.show)
    transitions.mark_failed(refund_id=Refund.objects.get().pk, failure=Refund.Failure.REFUSED, code="expired_card")
    write_off(order_id=order.pk, **WHY)


def _free(order: Order) -> None:
    Payment.objects.filter(order=order).delete()
    planned(order.show)


@pytest.mark.parametrize(
    ("became", "words"),
    [
        (_given_back, "All money was given back. The accounting is closed when the week is over."),
        (_disputed, "The bank has yet to decide about 1 dispute"),
        (_lost, "All money was given back but what the bank has or what was written off"),
        (_written_off, "All money was given back but what the bank has or what was written off"),
        (_free, "Nothing was paid, so nothing is to be given back."),
    ],
)
def test_that_all_money_was_given_back_is_said_where_it_was(
    became: Callable[[Order], None], words: str, staff: Client, paid_order: Order
) -> None:
    became(paid_order)
    page = page_of(staff, paid_order)
    assert words in page
    assert ("All money was given back." in page) is (became is _given_back)


@pytest.mark.parametrize("method", ["online", "cash"])
@pytest.mark.parametrize("is_paused", [False, True])
def test_what_was_not_sent_or_is_to_be_paid_by_hand_is_not_said_to_be_on_its_way(
    method: str, is_paused: bool, staff: Client, paid_order: Order
) -> None:
    if method == "cash":
        Payment.objects.filter(order=paid_order).update(method="cash", provider_id="", intent_id="", page_url="")
    cancellation = planned(paid_order.show)
    if is_paused:
        Cancellation.objects.filter(pk=cancellation.pk).update(
            pause="staff", paused_by="anna", pause_reason="wait", paused_at=DatabaseNow()
        )
    page, line = page_of(staff, paid_order), report_of(staff, paid_order)
    told = "are to be paid out by hand." if method == "cash" else "are still to be sent."
    assert f"84.00\N{NO-BREAK SPACE}€ {told}" in page
    assert "on their way back" not in page
    by_hand, to_send = ("84.00", "0.00") if method == "cash" else ("0.00", "84.00")
    assert (line["To be sent"], line["On its way"], line["To be paid out by hand"]) == (to_send, "0.00", by_hand)


def test_what_the_provider_has_is_on_its_way(staff: Client, paid_order: Order) -> None:
    planned(paid_order.show)
    Refund.objects.update(status="pending", provider_id="re_1")
    page, line = page_of(staff, paid_order), report_of(staff, paid_order)
    assert "are on their way back." in page
    assert (line["To be sent"], line["On its way"], line["To be paid out by hand"]) == ("0.00", "84.00", "0.00")


def test_the_report_on_paper_says_when_money_was_given_back_and_its_heads_do_not_touch(
    staff: Client, paid_order: Order
) -> None:
    _given_back(paid_order)
    paper = staff.get(reverse("admin:inventory_show_cancellation_pdf", args=[paid_order.show_id, 1])).content
    words = "".join(page.extract_text(extraction_mode="layout") for page in PdfReader(io.BytesIO(paper)).pages)
    at = Refund.objects.get().settled_at
    assert at is not None
    assert "Given back at" in words
    assert f"{at.astimezone(paid_order.show.venue.zone):%Y-%m-%d %H:%M}" in words


# --- who was told -----------------------------------------------------------------------------------------------------


def news(order: Order) -> list[tuple[str, str, str]]:
    told = Notification.objects.filter(subject=order.subject, kind="show_cancelled").order_by("pk")
    return list(told.values_list("recipient", "occurrence", "status"))


@pytest.fixture
def untold_order(paid_order: Order) -> Order:
    """Cancelled with its show; the mail with the tickets had come back, so that the news was not sent there."""
    key = uuid4()
    Notification.objects.create(
        subject=paid_order.subject, channel="email", idempotency_key=key, message_id=f"<{key}>", kind="tickets_ready",
        recipient=paid_order.email, language="en", status="bounced",
    )  # fmt: skip
    planned(paid_order.show)
    why = "an earlier mail to this address came back for good"
    Notification.objects.filter(kind="show_cancelled").update(status="suppressed", last_error=why)
    paid_order.refresh_from_db()
    return paid_order


def test_who_was_not_told_is_named_on_the_page_in_what_needs_attention_and_with_the_order(
    staff: Client, untold_order: Order
) -> None:
    page = page_of(staff, untold_order)
    assert "Not told that it is cancelled" in page
    assert reverse("admin:boxoffice_order_change", args=[untold_order.pk]) in page
    for where in (reverse("admin:boxoffice_attention_changelist"), f"/admin/boxoffice/order/{untold_order.pk}/change/"):
        told = staff.get(where).content.decode()
        assert f"{untold_order.email} was not told that the show is cancelled." in told
        assert "has the tickets meanwhile" not in told


def test_news_that_was_not_sent_since_another_order_had_told_of_the_address_needs_attention_too(
    staff: Client, untold_order: Order
) -> None:
    Notification.objects.filter(kind="tickets_ready").delete()
    page = staff.get(reverse("admin:boxoffice_attention_changelist")).content.decode()
    assert page.count("was not told that the show is cancelled.") == 1
    correct_address(order_id=untold_order.pk, email=RIGHT, send=True, **WHY)
    assert [item for item in find_items(kinds=KINDS).items if item.kind == "mails"] == []


def test_who_was_told_is_not_named_and_what_he_missed_before_is_looked_at_no_more(
    staff: Client, untold_order: Order
) -> None:
    Notification.objects.filter(kind="show_cancelled").update(status="delivered", last_error="", sent_at=DatabaseNow())
    assert "Not told that it is cancelled" not in page_of(staff, untold_order)
    assert [item for item in find_items(kinds=KINDS).items if item.kind == "mails"] == []
    assert "did not arrive" not in staff.get(f"/admin/boxoffice/order/{untold_order.pk}/change/").content.decode()


def test_a_corrected_address_is_told_once_that_the_show_is_cancelled_and_nothing_is_left_to_do(
    staff: Client, untold_order: Order
) -> None:
    address = f"/admin/boxoffice/order/{untold_order.pk}/address/"
    assert "Mail there as well that the show is cancelled" in staff.get(address).content.decode()
    for _press in range(2):
        done = staff.post(address, {"email": RIGHT, "send": "on", "reason": "a slip"}, follow=True).content.decode()
    assert [(to, occurrence.partition("#")[2], state) for to, occurrence, state in news(untold_order)] == [
        (untold_order.email, "", "suppressed"),
        (RIGHT, "1", "queued"),
    ]
    assert "was not told that the show is cancelled" not in done
    assert "Not told that it is cancelled" not in page_of(staff, untold_order)
    assert not Notification.objects.filter(kind="tickets_ready", recipient=RIGHT).exists(), "they are void"


def test_news_that_still_waited_goes_to_the_corrected_address_and_is_not_planned_a_second_time(
    untold_order: Order,
) -> None:
    Notification.objects.filter(kind="show_cancelled").update(status="queued", last_error="")
    done = correct_address(order_id=untold_order.pk, email=RIGHT, send=True, **WHY)
    assert (done.redirected, done.is_sent) == (1, False)
    assert [to for to, _occurrence, state in news(untold_order) if state == "queued"] == [RIGHT]


# --- the show's page --------------------------------------------------------------------------------------------------


def test_the_shows_page_says_that_refunds_are_being_sent_while_they_are_and_offers_nothing_that_is_refused(
    staff: Client, paid_order: Order
) -> None:
    here = reverse("admin:inventory_show_change", args=[paid_order.show_id])
    aside = reverse("admin:inventory_show_aside", args=[paid_order.show_id])
    assert aside in staff.get(here).content.decode()
    planned(paid_order.show)
    page = staff.get(here).content.decode()
    assert "Refunds are being sent" in page
    assert aside not in page
    transitions.mark_succeeded(refund_id=Refund.objects.get().pk, provider_id="re_1")
    page = staff.get(here).content.decode()
    assert "Refunds are being sent" not in page
    assert "Its refunds were sent" in page


@pytest.mark.parametrize("what", ["aside", "move", "postpone", "sale"])
@pytest.mark.parametrize("state", ["cancelled", "over"])
def test_whoever_comes_by_an_old_link_is_told_that_the_show_has_ended(
    what: str, state: str, staff: Client, show_on_sale: Show
) -> None:
    Show.objects.filter(pk=show_on_sale.pk).update(status=state)
    page = staff.get(reverse(f"admin:inventory_show_{what}", args=[show_on_sale.pk]), follow=True).content.decode()
    assert "This show is cancelled or over" in page
    assert "has changed in the meantime" not in page
