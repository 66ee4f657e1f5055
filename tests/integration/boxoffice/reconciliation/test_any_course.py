"""Whatever happens to a week's money, and whoever settles some of it: each day ties, and no second run changes it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from boxoffice.errors import BoxOfficeError
from boxoffice.models import Finding, Payment, Reconciliation
from boxoffice.reconciliation.actions.attach_finding import attach_finding
from boxoffice.reconciliation.actions.refund_finding import refund_finding
from boxoffice.reconciliation.actions.write_off_finding import write_off_finding
from boxoffice.reconciliation.read_day import read_days
from boxoffice.reconciliation.reconcile_day import begin_night
from jobs.models import Job
from tests.fixtures_clock import Clock
from tests.fixtures_reconciliation import DAY, NIGHT_AFTER, NOON, Books, everything_written
from tests.fixtures_refunds import WHO_AND_WHY

pytestmark = pytest.mark.django_db

DAYS = 4
LAST = DAYS - 1


class Week:
    """What is told of each day, in lines of a report."""

    def __init__(self, books: Books, chance: Random) -> None:
        self._books, self._chance = books, chance
        self.lines: list[list[str]] = [[] for _ in range(DAYS)]

    def tell(self, day: int, how: Callable[..., Any], *about: Any, **told: Any) -> None:
        self._books.lines.clear()
        how(*about, at=NOON + timedelta(days=day, hours=self._chance.uniform(-12, 11.99)), **told)
        self.lines[day] += self._books.lines

    def tell_a_sale(self) -> None:
        books, chance = self._books, self._chance
        day = chance.randrange(DAYS - 1)
        later = chance.randrange(day, DAYS)
        payment = books.sold(at=NOON + timedelta(days=day))
        if chance.random() < 0.1:  # the provider has nothing of it
            return
        self.tell(day, books.tell_charge, payment, chance.choice(("84.00", "84.00", "90.00")))
        if chance.random() < 0.3:
            self.tell(day, books.tell_charge, books.paid(payment.order, at=NOON + timedelta(days=day)))
        if chance.random() < 0.6:
            self._tell_a_refund(payment, day, later)
        if chance.random() < 0.3:
            about = {"source_id": f"du_{payment.pk}", "payment_intent_id": payment.intent_id}
            self.tell(day, books.tell, "dispute", "-84.00", "15.00", **about)
            if later > day:
                self.tell(later, books.tell, "dispute_reversal", "84.00", **about)

    def _tell_a_refund(self, payment: Payment, day: int, later: int) -> None:
        books, at = self._books, NOON + timedelta(days=later)
        how = self._chance.choice(("done", "returned", "by hand", "returned untold"))
        if how == "by hand":
            self.tell(later, books.tell_refund, None, "-40.00", payment_intent_id=payment.intent_id)
            return
        state = {"status": "failed", "failure": "returned"} if how == "returned" else {}
        refund = books.gave_back(payment, 4_000, at=at, **state)
        self.tell(day, books.tell_refund, refund, "-40.00")
        if how != "done":
            self.tell(LAST, books.tell, "refund_failure", "40.00", source_id=refund.provider_id)


@pytest.mark.parametrize("seed", range(2))
def test_each_day_ties_whatever_happens_and_a_run_repeated_changes_nothing(
    books: Books, clock: Clock, seed: int
) -> None:
    chance = Random(seed)
    week = Week(books, chance)
    for _ in range(8):
        week.tell_a_sale()
    for day in range(DAYS):
        for category, gross in (("payout", "-500.00"), ("fee", "-2.00"), ("adjustment", "3.00")):
            week.tell(day, books.tell, category, gross)
        week.tell(day, books.tell_charge, None)

    def run(day: int, *, night: int) -> None:
        clock.stand_still(at=NIGHT_AFTER + timedelta(days=night))
        books.lines[:] = chance.sample(week.lines[day], len(week.lines[day]))
        books.reconcile(DAY + timedelta(days=day))
        assert all(each.ties for each in read_days(limit=DAYS))

    for night in range(DAYS):
        run(night, night=night)
        run(chance.randrange(night + 1), night=night)
        for finding in Finding.objects.filter(resolution=""):
            settle(finding, chance)
    for day in chance.sample(range(DAYS), DAYS):
        run(day, night=LAST)
    before = everything_written()
    for day in range(DAYS):
        run(day, night=LAST)
    assert everything_written() == before
    for payment in Payment.objects.all():
        assert sum(refund.amount for refund in payment.refunds.exclude(status="failed")) <= payment.amount


def settle(finding: Finding, chance: Random) -> None:
    """Perhaps, by one of the ways that are offered."""
    code = chance.choice(list(Payment.objects.values_list("order__code", flat=True)))
    ways: list[Callable[[], object]] = [
        lambda: refund_finding(finding_id=finding.pk, **WHO_AND_WHY),
        lambda: attach_finding(finding_id=finding.pk, code=code, **WHO_AND_WHY),
        lambda: write_off_finding(finding_id=finding.pk, **WHO_AND_WHY),
        lambda: None,
    ]
    for way in chance.sample(ways, len(ways)):
        try:
            way()
            return
        except BoxOfficeError:
            pass


def test_a_day_whose_run_was_left_behind_is_begun_again_in_the_night(clock: Clock) -> None:
    clock.stand_still(at=NIGHT_AFTER)
    for days, hours in ((1, 24), (2, 1)):
        Reconciliation.objects.create(
            day=DAY - timedelta(days=days), origin="api", reads_from=NOON, reads_until=NOON,
            begun_at=NIGHT_AFTER - timedelta(hours=hours),
        )  # fmt: skip
    begin_night(day=DAY)
    begun = Job.objects.filter(task="boxoffice.read_balance").order_by("pk").values_list("args", flat=True)
    assert list(begun) == [{"day": "2026-11-28", "run": 2}, {"day": "2026-11-29", "run": 1}]
