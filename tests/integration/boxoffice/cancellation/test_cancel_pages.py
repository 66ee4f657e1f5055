"""The pages of a cancelled show: asking, how far it is, pausing, writing off, the report, and what fans read."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from icalendar import Calendar
from pypdf import PdfReader

from boxoffice.cancellation import workflow
from boxoffice.cancellation.accounts import read_accounts
from boxoffice.cancellation.balance import pause_for_balance
from boxoffice.cancellation.desk import progress_page
from boxoffice.cancellation.report.report_parts import parts_of_report
from boxoffice.cancellation.start import cancel_show
from boxoffice.changes.errors import NotPaidOutByHand
from boxoffice.changes.pay_out import pay_out
from boxoffice.messages import draft
from boxoffice.models import Cancellation, Dispute, Order, Payment, Refund, ShowAction
from boxoffice.refunds import transitions
from inventory.models import Show
from jobs.clock import DatabaseNow, database_now
from tests.fixtures_clock import Clock
from tests.fixtures_staff import staff_with
from tickets.models import Ticket

pytestmark = pytest.mark.django_db

WHY = {"by": "anna", "reason": "the singer is ill"}


def address(name: str, show: Show, *more: int) -> str:
    return reverse(f"admin:inventory_show_{name}", args=[show.pk, *more])


def seen(client: Client, where: str) -> str:
    answer = client.get(where)
    assert answer.status_code == 200, answer
    return answer.content.decode()


def planned(show: Show) -> Cancellation:
    """Cancelled, with all refunds and mails planned and none sent."""
    show.refresh_from_db()
    cancellation = cancel_show(show_id=show.pk, seen=show.version, name=show.title, **WHY)
    while cancellation.phase != "waiting":
        with transaction.atomic():
            workflow.go_on(cancellation_id=cancellation.pk, phase=cancellation.phase, cursor=cancellation.cursor)
        cancellation.refresh_from_db()
    show.refresh_from_db()
    return cancellation


def refuse(refund: Refund) -> None:
    transitions.mark_failed(refund_id=refund.pk, failure=Refund.Failure.REFUSED, code="charge_not_refundable")


def by_hand(order: Order) -> None:
    """As if it had been paid out of a purse."""
    Payment.objects.filter(order=order).update(method="cash", provider_id="", intent_id="", page_url="")


# --- starting ---------------------------------------------------------------------------------------------------------


def test_it_says_first_what_will_happen_and_wants_the_name_typed(staff: Client, paid_order: Order) -> None:
    show = paid_order.show
    asks = seen(staff, address("cancel", show))
    for words in ("1 order is cancelled", "84.00", "in 1 refund", "1 order is told by mail", "cannot be undone"):
        assert words in asks
    typed = {"seen": show.version, "name": "Another show", "reason": "the singer is ill"}
    assert "That is not the name of the show" in staff.post(address("cancel", show), typed).content.decode()
    assert not Cancellation.objects.exists()
    for _press in range(2):
        done = staff.post(address("cancel", show), {**typed, "name": f" {show.title.upper()} "}, follow=True)
        assert done.redirect_chain[-1][0] == address("cancellation", show)
    assert ShowAction.objects.filter(action="cancel").count() == Cancellation.objects.count() == 1
    page = seen(staff, reverse("admin:inventory_show_change", args=[show.pk]))
    assert address("cancellation", show) in page
    assert address("cancel", show) not in page


def test_nobody_cancels_without_the_permission_and_only_finance_writes_off(
    client: Client, confirmed_order: Order
) -> None:
    show = confirmed_order.show
    mover = staff_with(client, "view_show", "move_show", "refund_order")
    assert mover.get(address("cancel", show)).status_code == 403
    assert mover.post(address("cancel", show), {"name": show.title}).status_code == 403
    planned(show)
    for name in ("cancellation", "cancellation_pause", "cancellation_resume", "cancellation_csv"):
        assert mover.get(address(name, show)).status_code == 403
    assert mover.get(address("cancellation_pdf", show, 1)).status_code == 403
    assert mover.get(address("cancellation_write_off", show, confirmed_order.pk)).status_code == 403


# --- how far it is ----------------------------------------------------------------------------------------------------


def test_the_page_tells_refunds_phases_and_the_accounting_to_the_cent(staff: Client, paid_order: Order) -> None:
    show = paid_order.show
    planned(show)
    page = seen(staff, address("cancellation", show))
    for words in ("Refunds are being sent.", "0 of 1 refund", "Refunds planned", "Mails planned", "84.00", "missing"):
        assert words in page
    assert 'data-refresh="5"' in page
    refund = Refund.objects.get()
    transitions.mark_succeeded(refund_id=refund.pk, provider_id="re_1")
    page = seen(staff, address("cancellation", show))
    assert "1 of 1 refund" in page
    assert "matches to the cent" in page
    assert "data-refresh=" not in page.replace("data-refresh-", "")


def test_an_open_page_of_a_large_show_is_kept_fresh_without_reading_all_its_money_each_time(
    staff: Client, paid_order: Order, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    show = paid_order.show
    planned(show)
    monkeypatch.setattr(progress_page, "LARGE", 0)
    clock.stand_still(at=database_now().replace(second=30) + timedelta(minutes=1))
    here, by_a_script = address("cancellation", show), {"headers": {"Sec-Fetch-Dest": "empty"}}

    def asked(**given: Any) -> tuple[bool, str]:
        """Whether all the money was read, and the page."""
        with CaptureQueriesContext(connection) as queries:
            page = staff.get(here, **given).content.decode()
        return any("given_back" in each["sql"] for each in queries), page

    is_read, page = asked(**by_a_script)
    assert not is_read
    assert "0 of 1 refund" in page
    assert 'data-refresh="5"' in page
    assert 'data-live="accounting"' not in page, "what is not there, the open page keeps"
    is_read, page = asked()
    assert is_read
    assert 'data-live="accounting"' in page
    assert "are read once a minute; as of" in page
    transitions.mark_succeeded(refund_id=Refund.objects.get().pk, provider_id="re_1")
    is_read, page = asked(**by_a_script)
    assert is_read, "the last look, after which the page rests, has everything"
    assert "matches to the cent" in page


def test_a_show_that_nobody_paid_for_has_a_page_that_says_so(staff: Client, confirmed_order: Order) -> None:
    planned(confirmed_order.show)
    page = seen(staff, address("cancellation", confirmed_order.show))
    assert "No refund was to be planned" in page
    assert "Nothing was paid for this show." in page
    assert staff.get(address("cancellation", confirmed_order.show).replace("/show/", "/show/9")).status_code == 404


def test_staff_pause_and_resume_with_a_reason(staff: Client, paid_order: Order) -> None:
    show = paid_order.show
    planned(show)
    staff.post(address("cancellation_pause", show), {"reason": ""})
    assert Cancellation.objects.get().pause == ""
    page = staff.post(address("cancellation_pause", show), {"reason": "the bank asks"}, follow=True).content.decode()
    for words in ("Refunds are paused.", "the bank asks", "Refunds wait: they are paused."):
        assert words in page
    again = staff.post(address("cancellation_pause", show), {"reason": "once more"}, follow=True).content.decode()
    assert "paused already" in again
    staff.post(address("cancellation_resume", show), {"reason": "all is well"})
    assert Cancellation.objects.get().pause == ""


def test_of_a_show_that_is_not_cancelled_nothing_can_be_paused_or_resumed(staff: Client, paid_order: Order) -> None:
    for verb in ("cancellation_pause", "cancellation_resume"):
        there = address(verb, paid_order.show)
        answers = [staff.get(there), staff.post(there, {"reason": "the bank asks"})]
        assert [answer.status_code for answer in answers] == [404, 404], verb


def test_a_balance_that_is_too_low_is_said_first_with_what_to_do_and_can_be_tried_now(
    staff: Client, paid_order: Order
) -> None:
    show = paid_order.show
    planned(show)
    pause_for_balance()
    page = seen(staff, address("cancellation", show))
    for words in ("the balance at the payment provider is too low", "Top it up", "Try now…", "It looks again in "):
        assert words in page
    assert "they are paused" not in page, "why is said once"
    assert "The balance was topped up." in seen(staff, address("cancellation_resume", show))
    staff.post(address("cancellation_resume", show), {"reason": "The balance was topped up."})
    assert Cancellation.objects.get().pause == ""


# --- whom somebody must see to ----------------------------------------------------------------------------------------


def test_a_refund_that_was_refused_is_listed_with_its_ways_on_and_can_be_written_off(
    staff: Client, paid_order: Order
) -> None:
    show = paid_order.show
    planned(show)
    refund = Refund.objects.get()
    refuse(refund)
    page = seen(staff, address("cancellation", show))
    off = address("cancellation_write_off", show, paid_order.pk)
    for words in (paid_order.code, "charge_not_refundable", off, f"/refund/{refund.pk}/again/"):
        assert words in page
    assert f"order {paid_order.code} off?" in seen(staff, off)
    done = staff.post(off, {"reason": "paid by cheque"}, follow=True).content.decode()
    for words in ("are written off", "matches to the cent", address("cancellation_undo", show, paid_order.pk)):
        assert words in done
    for what_is_refused in (f"/refund/{refund.pk}/again/", "What is left needs somebody"):
        assert what_is_refused not in done
    twice = staff.post(off, {"reason": "paid by cheque"}, follow=True).content.decode()
    assert "Nothing of this order is left to write off" in twice
    staff.post(address("cancellation_undo", show, paid_order.pk), {"reason": "it was not"})
    assert off in seen(staff, address("cancellation", show))


def test_what_was_paid_at_the_counter_is_listed_to_be_paid_out(staff: Client, paid_order: Order) -> None:
    by_hand(paid_order)
    planned(paid_order.show)
    page = seen(staff, address("cancellation", paid_order.show))
    assert "To be paid out by hand" in page
    assert f"/refund/{Refund.objects.get().pk}/paid-out/" in page


def test_what_nobody_comes_for_at_the_counter_can_be_written_off_and_does_not_keep_the_accounting_open(
    staff: Client, paid_order: Order
) -> None:
    show = paid_order.show
    by_hand(paid_order)
    planned(show)
    off = address("cancellation_write_off", show, paid_order.pk)
    assert off in seen(staff, address("cancellation", show))
    done = staff.post(off, {"reason": "nobody came"}, follow=True).content.decode()
    assert "matches to the cent" in done
    assert read_accounts(show_id=show.pk).match
    refund = Refund.objects.get()
    with pytest.raises(NotPaidOutByHand):
        pay_out(refund_id=refund.pk, **WHY)
    staff.post(address("cancellation_undo", show, paid_order.pk), {"reason": "he came"})
    assert f"/refund/{refund.pk}/paid-out/" in seen(staff, address("cancellation", show))
    pay_out(refund_id=refund.pk, **WHY)
    assert staff.post(off, {"reason": "too late"}, follow=True).content.decode().count("left to write off") == 1
    assert [account.given_back for account in read_accounts(show_id=show.pk).accounts] == [8_400]


def test_what_the_bank_has_is_listed_and_not_given_back(staff: Client, paid_order: Order) -> None:
    Dispute.objects.create(
        payment=Payment.objects.get(order=paid_order),
        provider_id="dp_1",
        status="needs_response",
        amount=8_400,
        currency="EUR",
        withdrawn=8_400,
        opened_at=DatabaseNow(),
        asked_at=DatabaseNow(),
    )
    planned(paid_order.show)
    assert not Refund.objects.exists()
    page = seen(staff, address("cancellation", paid_order.show))
    assert "With the bank" in page
    assert paid_order.code in page


# --- the report -------------------------------------------------------------------------------------------------------


def test_the_report_names_every_order_as_csv_and_on_paper(staff: Client, paid_order: Order) -> None:
    show = paid_order.show
    planned(show)
    transitions.mark_succeeded(refund_id=Refund.objects.get().pk, provider_id="re_1")
    answer = staff.get(address("cancellation_csv", show))
    assert answer.streaming
    rows = list(csv.reader(io.StringIO(answer.getvalue().decode("utf-8-sig"))))
    heads, line = rows
    told = dict(zip(heads, line, strict=True))
    assert (told["Order"], told["Paid"], told["Given back"], told["Left"]) == (
        paid_order.code,
        "84.00",
        "84.00",
        "0.00",
    )
    paper = staff.get(address("cancellation_pdf", show, 1))
    words = "".join(page.extract_text() for page in PdfReader(io.BytesIO(paper.content)).pages)
    for part in (paid_order.code, show.title, "84.00", "not closed yet"):
        assert part in words
    assert staff.get(address("cancellation_pdf", show, 2)).status_code == 404


def test_a_long_report_has_parts_that_leave_no_order_out(
    make_paid_order: Callable[..., Order], staff: Client, paid_order: Order, monkeypatch: pytest.MonkeyPatch
) -> None:
    show = paid_order.show
    others = [make_paid_order(), make_paid_order()]
    Order.objects.filter(pk__in=[other.pk for other in others]).update(show=show)
    planned(show)
    ids = sorted([paid_order.pk, *(other.pk for other in others)])
    assert [part.after for part in parts_of_report(show_id=show.pk, size=2)] == [0, ids[1]]
    assert [part.after for part in parts_of_report(show_id=show.pk, size=3)] == [0]
    assert ">PDF</a>" in seen(staff, address("cancellation", show))
    monkeypatch.setattr(progress_page, "parts_of_report", partial(parts_of_report, size=2))
    page = seen(staff, address("cancellation", show))
    assert 'aria-label="PDF, part 2 of 2" download>2</a>' in page
    assert address("cancellation_pdf", show, 2) in page
    assert ">PDF</a>" not in page


# --- what the fan reads -----------------------------------------------------------------------------------------------


def test_the_fans_page_and_mail_say_that_it_is_cancelled_and_what_comes_back(client: Client, paid_order: Order) -> None:
    show = paid_order.show
    cancellation = planned(show)
    page = seen(client, reverse("order", args=[paid_order.token]))
    for words in ("This show is cancelled", "to the card or account that you paid with", "It goes back to you."):
        assert words in page
    assert "Choose seats again" not in page
    assert "Who has tickets is told by mail" in seen(client, reverse("show", args=[show.slug]))
    mail = draft(kind="show_cancelled", subject=paid_order.subject, recipient="", occurrence=f"{cancellation.pk}")
    assert mail.context["back"].online.amount == 8_400
    calendar = Calendar.from_ical(mail.attachments[0].content)
    [entry] = calendar.walk("VEVENT")
    assert (calendar["METHOD"], entry["STATUS"], entry["SEQUENCE"]) == ("CANCEL", "CANCELLED", show.version)
    assert set(Ticket.objects.values_list("status", flat=True)) == {"void"}


def test_who_paid_at_the_counter_is_told_that_he_gets_it_back_there(client: Client, paid_order: Order) -> None:
    by_hand(paid_order)
    cancellation = planned(paid_order.show)
    mail = draft(kind="show_cancelled", subject=paid_order.subject, recipient="", occurrence=str(cancellation.pk))
    assert (mail.context["back"].online, mail.context["back"].by_hand.amount) == (None, 8_400)
    assert "at the counter" in seen(client, reverse("order", args=[paid_order.token]))


def test_who_paid_nothing_is_told_that_no_money_moves(client: Client, confirmed_order: Order) -> None:
    cancellation = planned(confirmed_order.show)
    mail = draft(kind="show_cancelled", subject=confirmed_order.subject, recipient="", occurrence=str(cancellation.pk))
    assert mail.context["back"].is_nothing
    assert "no money moves" in seen(client, reverse("order", args=[confirmed_order.token]))
