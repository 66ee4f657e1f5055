"""A day is read from the provider's API page by page, by jobs that go on where another one ended."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
import stripe
from django.core.management import call_command
from django.db import transaction

from boxoffice.models import BalanceTransaction, Finding, Order, Payment, Reconciliation
from boxoffice.reconciliation import ask_provider, reconcile_day
from boxoffice.reconciliation.errors import DayNotOver, MalformedTransaction
from boxoffice.reconciliation.read_day import Part, read_day
from boxoffice.refunds.refund_order import refund_order
from boxoffice.refunds.send_refund import send_refund
from jobs.models import Job
from tests.fixtures_clock import Clock
from tests.fixtures_payments import Payments
from tests.fixtures_reconciliation import found_kinds

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two transactions on a page, one page a job."""
    monkeypatch.setattr(ask_provider, "PER_PAGE", 2)
    monkeypatch.setattr(reconcile_day, "PAGES_AT_ONCE", 1)


@pytest.fixture
def later(clock: Clock) -> None:
    """The seconds in which the tests pay are over."""
    clock.advance(timedelta(seconds=30))


def day_of(provider: Payments) -> date:
    listed = provider.client().v1.balance_transactions.list({"limit": 1})
    return datetime.fromtimestamp(listed.data[0].created, UTC).date()


def rows() -> list[Any]:
    return list(BalanceTransaction.objects.order_by("provider_id").values_list("provider_id", "outcome", "amount"))


def test_a_day_of_sales_refunds_and_disputes_is_read_and_ties(
    refund_provider: Payments, make_paid_order: Callable[..., Order], later: None
) -> None:
    order, other = make_paid_order(), make_paid_order(price=1_000, currency="JPY")
    refund = refund_order(order_id=order.pk, by="anna", reason="ill").refund
    assert refund is not None
    send_refund(refund_id=refund.pk)
    by_hand = refund_provider.client().v1.refunds.create(
        {"payment_intent": other.payments.get().intent_id, "amount": 500}
    )
    refund_provider.paid_session("disputed")
    refund_provider.post("knobs", advance_s=3 * 86_400)
    refund_provider.post("payout")
    refund_provider.post("knobs", clock_offset_s=0)
    day = datetime.fromtimestamp(by_hand.created, UTC).date()
    row = reconcile_day.reconcile_day(day=day)
    result = read_day(day=day)
    assert result is not None
    assert result.ties
    euros, yen = result.currencies
    assert (euros.matched, euros.findings_there, yen.matched, yen.findings_there) == (
        Part(2, 0),
        Part(2, 0),
        Part(1, 2_000),
        Part(1, -500),
    )
    assert (row.state, row.pages, row.run) == ("done", 1, 1)
    assert sorted((kind, suggestion) for kind, _source, _amount, suggestion in found_kinds()) == [
        ("dispute", "write off"),
        ("only there", "write off"),  # the order that it names does not exist
        ("refunded there", "attach"),
    ]
    found = Finding.objects.get(kind="refunded there")
    assert (found.payment, found.order) == (other.payments.get(), other)


def test_jobs_read_page_after_page_and_the_last_one_has_it_compared(
    refund_provider: Payments,
    make_paid_order: Callable[..., Order],
    send: Callable[..., Job],
    small_pages: None,
    later: None,
) -> None:
    for _ in range(3):
        make_paid_order()
    day = day_of(refund_provider)
    with transaction.atomic():
        reconcile_day.begin_day(day=day)
    send("boxoffice.read_balance")
    first = Reconciliation.objects.get()
    assert (first.state, first.pages, BalanceTransaction.objects.count()) == ("reading", 1, 2)
    assert first.cursor
    send("boxoffice.read_balance")
    assert Reconciliation.objects.get().state == "comparing"
    send("boxoffice.compare_balance")
    done = Reconciliation.objects.get()
    assert (done.state, done.pages, done.matched, done.findings) == ("done", 2, 3, 0)
    assert done.read_until is not None
    assert [(outcome, amount) for _id, outcome, amount in rows()] == [("matched", 8_400)] * 3


def test_a_page_that_is_read_again_and_a_run_that_was_taken_over_change_nothing(
    refund_provider: Payments,
    make_paid_order: Callable[..., Order],
    small_pages: None,
    later: None,
) -> None:
    for _ in range(3):
        make_paid_order()
    day = day_of(refund_provider)
    with transaction.atomic():
        run = reconcile_day.begin_day(day=day)
    reconcile_day.read_on(day=day, run=run)
    Reconciliation.objects.update(cursor="")  # as if the worker had died before it wrote that down
    reconcile_day.read_on(day=day, run=run)
    assert BalanceTransaction.objects.count() == 2
    reconcile_day.reconcile_day(day=day)
    told = rows()
    assert len(told) == 3
    reconcile_day.read_on(day=day, run=run)
    with transaction.atomic():
        reconcile_day.compare_day(day=day, run=run)
    row = Reconciliation.objects.get()
    assert (row.run, row.state, rows()) == (run + 1, "done", told)


def test_a_provider_that_fails_leaves_the_pages_that_were_read(
    refund_provider: Payments, make_paid_order: Callable[..., Order], small_pages: None, later: None
) -> None:
    for _ in range(3):
        make_paid_order()
    day = day_of(refund_provider)
    with transaction.atomic():
        run = reconcile_day.begin_day(day=day)
    reconcile_day.read_on(day=day, run=run)
    refund_provider.turn(fail_next=1)
    with pytest.raises(stripe.APIError):
        reconcile_day.read_on(day=day, run=run)
    assert (Reconciliation.objects.get().pages, BalanceTransaction.objects.count()) == (1, 2)
    reconcile_day.read_on(day=day, run=run)
    assert (Reconciliation.objects.get().state, BalanceTransaction.objects.count()) == ("comparing", 3)


def test_the_api_corrects_what_a_report_told(
    refund_provider: Payments, make_paid_order: Callable[..., Order], later: None
) -> None:
    order = make_paid_order()
    day = day_of(refund_provider)
    reconcile_day.reconcile_day(day=day)
    BalanceTransaction.objects.update(amount=1, fee=0, net=1, outcome="finding", payment=None)
    reconcile_day.reconcile_day(day=day)
    told = BalanceTransaction.objects.get()
    assert (told.amount, told.outcome, told.payment) == (8_400, "matched", order.payments.get())


def test_a_payment_whose_money_is_not_known_here_is_found_by_its_key_and_matched_once_it_is_settled(
    refund_provider: Payments, make_paid_order: Callable[..., Order], clock: Clock
) -> None:
    order = make_paid_order()
    payment = order.payments.get()
    Payment.objects.filter(pk=payment.pk).update(status="pending", settled_at=None, intent_id="")
    charge = refund_provider.client().v1.charges.list({"limit": 1}).data[0]
    day = datetime.fromtimestamp(charge.created, UTC).date()
    clock.advance(timedelta(hours=4))
    reconcile_day.reconcile_day(day=day)
    BalanceTransaction.objects.update(payment_key=payment.idempotency_key, outcome="unread")
    reconcile_day.reconcile_day(day=day)
    told = BalanceTransaction.objects.get().provider_id
    assert found_kinds() == [("only there", told, 8_400, "confirm")]
    Payment.objects.filter(pk=payment.pk).update(
        status="succeeded", settled_at=datetime.fromtimestamp(charge.created, UTC), intent_id=str(charge.payment_intent)
    )
    reconcile_day.reconcile_day(day=day)
    assert (found_kinds(), Finding.objects.get().resolution) == ([], "matched later")


def test_the_command_reads_yesterday_unless_told_otherwise(refund_provider: Payments, clock: Clock) -> None:
    out = StringIO()
    clock.stand_still(at=datetime(2026, 3, 1, 0, 0, 1, tzinfo=UTC))
    call_command("reconcile_payments", stdout=out)
    assert out.getvalue().startswith("2026-02-28: transactions=0 matched=0 findings=0 in_flight=0 ties=yes")
    with pytest.raises(DayNotOver):
        reconcile_day.reconcile_day(day=date(2026, 3, 2))


@pytest.mark.parametrize(
    "wrong",
    [{"amount": 84.0}, {"id": None}, {"net": 1}, {"currency": "euro"}, {"created": "soon"}, {"source": {"id": 7}}],
)
def test_a_transaction_that_is_not_as_documented_is_not_kept(wrong: dict[str, Any]) -> None:
    listed: dict[str, Any] = {
        "id": "txn_1",
        "amount": 8_400,
        "fee": 151,
        "net": 8_249,
        "currency": "eur",
        "created": 1,
        "available_on": 1,
        "reporting_category": "charge",
        "source": "ch_1",
    }
    assert ask_provider.read_transaction(listed).source == "ch_1"
    with pytest.raises(MalformedTransaction):
        ask_provider.read_transaction(listed | wrong)


@pytest.mark.parametrize(
    ("given", "taken"),
    [("XK7R2M", "XK7R2M"), ("Order 12", ""), ("x" * 500, ""), ("", ""), (None, ""), (12, ""), ("12\x00", "")],
)
def test_what_others_wrote_along_with_their_money_is_no_order_of_ours_and_stops_nothing(
    given: object, taken: str
) -> None:
    """As in a report: see ``tests/unit/boxoffice/test_read_report.py``."""
    listed: dict[str, Any] = {
        "id": "txn_1", "amount": 8_400, "fee": 151, "net": 8_249, "currency": "eur", "created": 1, "available_on": 1,
        "reporting_category": "charge",
        "source": {"object": "charge", "id": "ch_1", "metadata": {"order": given, "payment": given}},
    }  # fmt: skip
    told = ask_provider.read_transaction(listed)
    assert (told.order_code, told.payment_key) == (taken, taken)
