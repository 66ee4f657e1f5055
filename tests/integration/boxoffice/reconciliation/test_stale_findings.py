"""A finding is as old as the night that found it: what has come since is neither written down nor paid twice."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from boxoffice.models import Finding, OrderLine, Payment, Refund
from boxoffice.payments.transitions import succeed
from boxoffice.reconciliation.actions.attach_finding import attach_finding
from boxoffice.reconciliation.actions.errors import FindingChanged, MoneyIsKnown, MoneyUnderWay, NotOffered
from boxoffice.reconciliation.actions.offered import offered
from boxoffice.reconciliation.actions.refund_finding import refund_finding
from boxoffice.reconciliation.actions.resolving import find_to, resolve
from boxoffice.reconciliation.errors import ReportRefused
from boxoffice.refunds.plan_refund import plan_refund
from tests.fixtures_clock import Clock
from tests.fixtures_reconciliation import DAY, NIGHT_AFTER, NOON, Books, everything_written, found_kinds
from tests.fixtures_refunds import WHO_AND_WHY

pytestmark = pytest.mark.django_db


def next_days(books: Books, clock: Clock, *, days: int = 2) -> None:
    """Reconcile the days after, of which nothing but a payout is told, morning and evening."""
    for number in range(1, days + 1):
        clock.stand_still(at=NIGHT_AFTER + timedelta(days=number))
        books.lines.clear()
        for hours in (0, 6):
            books.tell("payout", "-1.00", at=NOON + timedelta(days=number, hours=hours))
        books.reconcile(DAY + timedelta(days=number))


def test_money_that_was_settled_since_it_was_found_is_not_attached_and_sent_back(books: Books) -> None:
    payment = books.sold(status="pending", settled_at=None, intent_id="")
    books.tell_charge(None, payment_intent_id="pi_fan")
    books.reconcile()
    (finding,) = Finding.objects.filter(kind="only there")
    with pytest.raises(MoneyUnderWay):
        attach_finding(finding_id=finding.pk, code=payment.order.code, **WHO_AND_WHY)
    assert succeed(payment_id=payment.pk, provider_id="cs_fan", intent_id="pi_fan")
    with pytest.raises(MoneyIsKnown):
        attach_finding(finding_id=finding.pk, code=payment.order.code, **WHO_AND_WHY)
    finding.refresh_from_db()
    assert (finding.is_open, Payment.objects.count(), Refund.objects.count()) == (True, 1, 0)
    books.reconcile()
    assert found_kinds() == []


def test_a_refund_that_is_ours_after_all_is_not_written_down_twice(books: Books) -> None:
    payment = books.sold()
    books.tell_charge(payment)
    books.tell_refund(None, "-84.00", payment_intent_id=payment.intent_id, source_id="re_ours")
    books.reconcile()
    (finding,) = Finding.objects.all()
    ours = books.gave_back(payment, status="planned", settled_at=None, provider_id="")
    with pytest.raises(MoneyUnderWay):
        attach_finding(finding_id=finding.pk, code="", **WHO_AND_WHY)
    Refund.objects.filter(pk=ours.pk).update(status="succeeded", settled_at=NOON, provider_id="re_ours")
    with pytest.raises(MoneyIsKnown):
        attach_finding(finding_id=finding.pk, code="", **WHO_AND_WHY)
    books.reconcile()
    assert (found_kinds(), Refund.objects.count()) == ([], 1)


def test_what_was_attached_is_matched_and_not_found_to_be_here_alone(books: Books, clock: Clock) -> None:
    payment = books.sold()
    books.tell_charge(payment)
    books.tell_charge(None)
    books.tell_refund(None, "-84.00", payment_intent_id=payment.intent_id, source_id="re_hand")
    books.reconcile()
    for finding in Finding.objects.all():
        attach_finding(finding_id=finding.pk, code=payment.order.code, **WHO_AND_WHY)
    next_days(books, clock)
    assert found_kinds() == []


def test_of_what_was_paid_too_much_each_cent_is_found_once(books: Books) -> None:
    first = books.sold(8_400)
    OrderLine.objects.filter(order=first.order).update(price=10_000)
    for payment in (first, books.paid(first.order, 1_600), again := books.paid(first.order, 8_400)):
        books.tell_charge(payment, f"{payment.amount / 100:.2f}", "0.50")
    books.reconcile()
    found = Finding.objects.filter(kind="paid twice").values_list("payment", "amount")
    assert list(found) == [(again.pk, 8_400)]


def test_two_moneys_with_one_key_of_ours_are_paid_twice_also_on_two_days(books: Books, clock: Clock) -> None:
    payment, other = books.sold(), books.sold()
    for each in (payment, other):
        books.tell_charge(each)
    told = books.tell_charge(payment, payment_intent_id="pi_again", at=NOON + timedelta(minutes=1))
    books.reconcile()
    assert found_kinds() == [("paid twice", told, 8_400, "refund")]
    clock.stand_still(at=NIGHT_AFTER + timedelta(days=1))
    books.lines.clear()
    books.tell_charge(other, payment_intent_id="pi_later", at=NOON + timedelta(days=1))
    books.reconcile(DAY + timedelta(days=1))
    assert [kind for kind, *_rest in found_kinds()] == ["paid twice", "paid twice"]


def test_a_dispute_is_found_with_all_that_the_bank_moved_whichever_day_is_read(books: Books, clock: Clock) -> None:
    payment = books.sold()
    books.tell_charge(payment)
    about: dict[str, Any] = {"source_id": "du_1", "payment_intent_id": payment.intent_id}
    books.tell("dispute", "-84.00", **about)
    books.reconcile()
    for number, category, gross in ((1, "dispute_reversal", "20.00"), (2, "dispute", "-5.00")):
        clock.stand_still(at=NIGHT_AFTER + timedelta(days=number))
        books.lines.clear()
        books.tell(category, gross, at=NOON + timedelta(days=number), **about)
        books.reconcile(DAY + timedelta(days=number))
    assert found_kinds() == [("dispute", "dispute:du_1", -6_900, "write off")]
    before = everything_written()
    books.reconcile(DAY + timedelta(days=2))
    assert everything_written() == before


def test_a_sum_that_was_found_otherwise_since_somebody_read_it_does_not_move(books: Books, staff: Client) -> None:
    books.tell_charge(books.sold(4_200))
    books.reconcile()
    (finding,) = Finding.objects.filter(kind="other amount")
    address = f"/admin/boxoffice/finding/{finding.pk}/do/refund/"
    assert 'name="shown" value="4200 EUR ' in staff.get(address).content.decode()
    shown = f"4200 EUR {finding.payment_id}"
    read = find_to(action=Finding.Action.REFUND, finding_id=finding.pk)
    Finding.objects.update(amount=4_000)
    with pytest.raises(FindingChanged):
        resolve(finding=read, action=Finding.Action.REFUND, by="anna", reason="too much")
    answer = staff.post(address, {"reason": "too much", "shown": shown}, follow=True)
    assert "found otherwise since you looked at it" in answer.content.decode()
    assert not Refund.objects.exists()
    staff.post(address, {"reason": "too much", "shown": shown.replace("4200", "4000")})
    assert Refund.objects.get().amount == 4_000


def test_money_of_another_currency_is_neither_given_back_nor_written_down_as_that_of_the_payment(books: Books) -> None:
    payment = books.sold()
    books.tell_charge(payment)
    books.tell_charge(payment, currency="usd", at=NOON + timedelta(minutes=1))
    books.tell_refund(None, "-84.00", payment_intent_id=payment.intent_id, currency="usd")
    books.reconcile()
    findings = Finding.objects.all()
    assert [offered(each) for each in findings] == [[Finding.Action.WRITE_OFF]] * 2
    for each in findings:
        with pytest.raises(NotOffered):
            refund_finding(finding_id=each.pk, **WHO_AND_WHY)
        with pytest.raises(NotOffered):
            attach_finding(finding_id=each.pk, code="", **WHO_AND_WHY)
    assert not Refund.objects.exists()


def test_what_came_too_much_goes_back_and_leaves_what_the_order_costs(books: Books, clock: Clock) -> None:
    payment = books.sold()
    books.tell_charge(payment, "100.00", "1.80")
    books.reconcile()
    refund_finding(finding_id=Finding.objects.get().pk, **WHO_AND_WHY)
    payment.refresh_from_db()
    assert (payment.amount, payment.refunds.get().amount) == (10_000, 1_600)
    next_days(books, clock)
    assert found_kinds() == []
    assert plan_refund(payment_id=payment.pk, amount=8_400, reason="the show is cancelled") is not None


def test_other_money_with_a_key_of_ours_goes_back_by_its_own_id(books: Books, clock: Clock) -> None:
    payment = books.sold()
    books.tell_charge(payment)
    books.tell_charge(payment, payment_intent_id="pi_again", at=NOON + timedelta(minutes=1))
    books.reconcile()
    refund_finding(finding_id=Finding.objects.get().pk, **WHO_AND_WHY)
    refund = Refund.objects.get()
    assert (refund.amount, refund.payment.intent_id, refund.payment.order) == (8_400, "pi_again", payment.order)
    assert not payment.refunds.exists()
    next_days(books, clock)
    assert found_kinds() == []


@pytest.mark.parametrize("at", ["0001-01-01 10:00:00", "9999-12-31 10:00:00", "2062-01-01 10:00", "2026-11-29 24:00"])
def test_a_report_of_a_day_that_nobody_can_mean_is_refused_with_its_line(books: Books, at: str) -> None:
    books.tell_charge(None)
    books.tell_charge(None, created_utc=at)
    with pytest.raises(ReportRefused) as refused:
        books.reconcile(None)
    assert (refused.value.line, everything_written()) == (3, [[], [], []])
