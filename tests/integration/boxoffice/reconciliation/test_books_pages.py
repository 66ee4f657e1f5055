"""The desk's pages of the books, and the mail to finance, on days that were really reconciled with the stand-in."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, date, timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client

from boxoffice.messages import draft
from boxoffice.models import BooksAction, Finding, Order, Reconciliation
from boxoffice.reconciliation.reconcile_day import reconcile_day
from boxoffice.reconciliation.tell_finance import tell_finance
from jobs.clock import database_now
from jobs.models import Job
from notifications.models import Notification
from tests.fixtures_clock import Clock
from tests.fixtures_payments import Payments
from tests.fixtures_reconciliation import DAY, NOON, Books
from tests.fixtures_staff import staff_with
from tests.processes import wait_for

pytestmark = pytest.mark.django_db

HEADER = (
    "balance_transaction_id,created_utc,currency,gross,fee,net,reporting_category,source_id,payment_intent_id,"
    "charge_id\n"
)


@pytest.fixture
def reconciled_day(paid_order: Order, refund_provider: Payments) -> str:
    """Today, with a payment that is alike on both sides, and one that only the provider has."""
    refund_provider.paid_session()
    return f"{reconciled_now()}"


def reconciled_now() -> date:
    """Reconcile the day as it stands; the second in which somebody paid must be over for that."""
    paid_at = time.time()
    wait_for(lambda: database_now().timestamp() >= int(paid_at) + 1, what="the second of paying is over")
    day = database_now().astimezone(UTC).date()
    reconcile_day(day=day)
    return day


def shown(client: Client, address: str) -> str:
    answer = client.get(f"/admin/boxoffice/{address}", follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_day_shows_both_sides_to_the_cent_and_what_was_found(staff: Client, reconciled_day: str) -> None:
    page = shown(staff, f"reconciliation/day/{reconciled_day}/")
    assert "every transaction is accounted for" in page
    assert "The payment provider has 84.00\N{NO-BREAK SPACE}€ more than we have. That is: Findings 84.00" in page
    assert "84.00\N{NO-BREAK SPACE}€" in page
    assert f"/finding/{Finding.objects.get().pk}/change/" in page
    assert "1 open finding" in shown(staff, "reconciliation/")
    assert "paid at the provider, not here" in shown(staff, "finding/")


def test_a_day_of_which_a_report_has_a_part_says_which_and_is_whole_once_it_is_named(
    staff: Client, books: Books
) -> None:
    for hours in (0, 3):
        books.tell("payout", "-1.00", at=NOON + timedelta(hours=hours))

    def read(**days: str) -> str:
        file = SimpleUploadedFile("report.csv", books.report())
        where = "/admin/boxoffice/reconciliation/report/"
        return staff.post(where, {"report": file, **days}, follow=True).content.decode()

    assert "Read from 12:00 until 15:00 UTC only." in read()
    assert "Read from 12:00" in shown(staff, "reconciliation/")
    assert "UTC only" not in read(first=f"{DAY}", last=f"{DAY}")
    assert "Choose the file of the report first." in staff.post("/admin/boxoffice/reconciliation/report/", {}).text
    assert "The last day is before the first one" in read(first=f"{DAY}", last=f"{DAY - timedelta(days=1)}")


def test_a_day_that_was_not_reconciled_says_so_and_is_begun_by_one_press(staff: Client) -> None:
    yesterday = database_now().astimezone(UTC).date() - timedelta(days=1)
    assert "This day was not reconciled yet." in shown(staff, f"reconciliation/day/{yesterday}/")
    assert "not reconciled yet" in shown(staff, "reconciliation/")
    answer = staff.post("/admin/boxoffice/reconciliation/run/", {"day": f"{yesterday}"}, follow=True)
    page = answer.content.decode()
    assert "is being reconciled." in page
    assert 'data-refresh="2"' in page
    assert '<section data-live="findings">' in page, "where those that are found appear by themselves"
    assert Job.objects.filter(task="boxoffice.read_balance").count() == 1
    assert BooksAction.objects.get().action == "run"


def test_a_day_that_is_none_or_has_not_begun_changes_nothing(staff: Client) -> None:
    assert staff.get("/admin/boxoffice/reconciliation/day/2026-13-40/").status_code == 404
    staff.post("/admin/boxoffice/reconciliation/run/", {"day": "2099-01-01"})
    staff.post("/admin/boxoffice/reconciliation/run/", {"day": "soon"})
    assert not Reconciliation.objects.exists()


def report(*lines: str) -> SimpleUploadedFile:
    return SimpleUploadedFile("report.csv", (HEADER + "".join(f"{line}\n" for line in lines)).encode())


GOOD = "txn_1,2026-11-01 10:00:00,eur,84.00,1.51,82.49,charge,ch_1,pi_nobodys,ch_1"


def test_a_report_is_read_whole(staff: Client) -> None:
    answer = staff.post("/admin/boxoffice/reconciliation/report/", {"report": report(GOOD)}, follow=True)
    page = answer.content.decode()
    assert "1 day was reconciled by the report: 1 finding." in page
    assert Finding.objects.get().amount == 8_400
    assert BooksAction.objects.get().reason == "report.csv"


def test_a_report_that_is_wrong_is_refused_with_its_line_and_changes_nothing(staff: Client) -> None:
    wrong = GOOD.replace("txn_1", "txn_2").replace("84.00", "eighty-four")
    answer = staff.post("/admin/boxoffice/reconciliation/report/", {"report": report(GOOD, wrong)})
    assert "Line 3:" in answer.content.decode()
    assert not Finding.objects.exists()
    assert not BooksAction.objects.exists()


def test_findings_are_narrowed_by_state_kind_and_owner(staff: Client, reconciled_day: str) -> None:
    found = Finding.objects.get()
    row = f"/finding/{found.pk}/change/"
    assert row in shown(staff, "finding/?kind=only+there&whose=nobody")
    for other in ("kind=fee", "whose=mine", "state=resolved"):
        assert row not in shown(staff, f"finding/?{other}")
    staff.post(f"/admin/boxoffice/finding/{found.pk}/take/", {"from_owner": ""})
    assert row in shown(staff, "finding/?whose=mine")
    staff.post(f"/admin/boxoffice/finding/{found.pk}/do/write-off/", {"reason": "a test of ours"})
    assert row in shown(staff, "finding/?state=resolved")
    assert "a test of ours" in shown(staff, f"finding/{found.pk}/change/")


def test_who_may_only_look_settles_nothing_and_money_moves_by_who_may_refund(
    client: Client, paid_order: Order, reconciled_day: str
) -> None:
    found = Finding.objects.get()
    looks = staff_with(client, "view_finding", "view_reconciliation")
    page = shown(looks, f"finding/{found.pk}/change/")
    assert "Your role may look at findings" in page
    assert looks.post(f"/admin/boxoffice/finding/{found.pk}/take/").status_code == 403
    assert looks.post("/admin/boxoffice/reconciliation/run/", {"day": reconciled_day}).status_code == 403
    looks.logout()


def test_who_may_reconcile_and_not_refund_writes_off_and_attaches_nothing(client: Client, reconciled_day: str) -> None:
    found = Finding.objects.get()
    clerk = staff_with(client, "view_finding", "reconcile")
    assert clerk.get(f"/admin/boxoffice/finding/{found.pk}/do/write-off/").status_code == 200
    assert clerk.get(f"/admin/boxoffice/finding/{found.pk}/do/attach/").status_code == 403


@pytest.mark.django_db(transaction=True)
def test_finance_is_told_of_a_day_that_is_over_once_and_again_when_more_is_found(
    settings: Any, clock: Clock, reconciled_day: str, refund_provider: Payments
) -> None:
    settings.FINANCE_EMAIL, settings.FINANCE_LANGUAGE = "books@theatre.example", "de"

    def told() -> bool:
        with transaction.atomic():
            return tell_finance(day=reconciled_day)

    assert not told(), "the day goes on"
    refund_provider.paid_session()
    clock.advance(timedelta(days=1))
    assert [told(), told()] == [True, False]
    reconcile_day(day=date.fromisoformat(reconciled_day))
    assert [told(), told()] == [True, False]
    assert set(Notification.objects.values_list("recipient", "language")) == {("books@theatre.example", "de")}
    clock.advance(timedelta(days=30))
    refund_provider.paid_session()
    assert not told()


def test_without_an_address_nobody_is_told_and_the_page_says_so(
    settings: Any, staff: Client, reconciled_day: str
) -> None:
    settings.FINANCE_EMAIL = ""
    with transaction.atomic():
        assert not tell_finance(day=reconciled_day)
    assert "FINANCE_EMAIL is not set" in shown(staff, "reconciliation/")


def test_the_mail_to_finance_has_the_sums_and_no_fans_name(reconciled_day: str, paid_order: Order) -> None:
    told = draft(kind="day_reconciled", subject=f"day:{reconciled_day}", recipient="books@theatre.example")
    assert told.subject.endswith("1 finding")
    words = f"{told.subject} {told.preheader} {told.context}"
    assert "84.00" in words
    for personal in (paid_order.name, paid_order.email, paid_order.code):
        assert personal not in words


@pytest.mark.usefixtures("reconciled_day")
def test_the_lists_take_as_many_queries_for_many_findings_as_for_one(
    staff: Client, refund_provider: Payments, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    for _again in range(3):
        refund_provider.paid_session()
    reconciled_now()
    with django_assert_max_num_queries(14):
        shown(staff, "finding/")
