"""What comparing both sides finds, and that it adds up."""

from __future__ import annotations

from datetime import timedelta

import pytest

from boxoffice.models import BalanceTransaction, Finding
from boxoffice.reconciliation import transitions
from boxoffice.reconciliation.read_day import Part
from tests.fixtures_clock import Clock
from tests.fixtures_reconciliation import DAY, NIGHT_AFTER, NOON, Books, everything_written, found_kinds

pytestmark = pytest.mark.django_db


def test_what_is_alike_on_both_sides_is_matched_to_the_cent(books: Books) -> None:
    payment = books.sold()
    refund = books.gave_back(payment, 4_200)
    books.tell_charge(payment)
    books.tell_refund(refund, "-42.00")
    day = books.reconcile()
    (sums,) = day.currencies
    assert (sums.matched, sums.matched_here, sums.there, sums.here) == (Part(2, 4_200),) * 4
    assert (sums.fees, sums.net) == (151, 4_049)
    assert (day.row.matched, day.row.findings, day.row.in_flight, day.row.state) == (2, 0, 0, "done")
    assert found_kinds() == []
    assert set(BalanceTransaction.objects.values_list("outcome", flat=True)) == {"matched"}


def test_money_that_nobody_here_knows_is_found_and_left_to_people(books: Books) -> None:
    stranger = books.tell_charge(None)
    late = books.sold(status="expired", intent_id="")
    ended = books.tell_charge(late, payment_intent_id="pi_late")
    named = books.tell_charge(None, **{"payment_metadata[order]": late.order.code})
    others = books.tell_charge(None, **{"payment_metadata[order]": "NOBODYS"})
    day = books.reconcile()
    assert sorted(found_kinds()) == sorted(
        [
            ("only there", ended, 8_400, "refund"),
            ("only there", named, 8_400, "attach"),
            ("only there", stranger, 8_400, "write off"),
            ("only there", others, 8_400, "write off"),
        ]
    )
    (sums,) = day.currencies
    assert (sums.findings_there, sums.here, sums.matched) == (Part(4, 33_600), Part(), Part())
    assert Finding.objects.get(source=named).order == late.order


def test_a_payment_that_is_still_open_here_is_in_flight_for_three_hours(books: Books, clock: Clock) -> None:
    open_one = books.sold(status="pending", settled_at=None, intent_id="")
    at = NIGHT_AFTER - timedelta(hours=4)
    told = books.tell_charge(open_one, at=at)
    clock.stand_still(at=at + timedelta(hours=2))
    day = books.reconcile()
    assert (day.currencies[0].in_flight_there, day.row.in_flight, found_kinds()) == (Part(1, 8_400), 1, [])
    clock.stand_still(at=NIGHT_AFTER)
    day = books.reconcile()
    assert found_kinds() == [("only there", told, 8_400, "confirm")]
    assert day.currencies[0].in_flight_there == Part()


def test_what_only_we_know_is_found_once_the_time_after_it_was_read_too(books: Books) -> None:
    missing, late = books.sold(), books.sold(at=NOON + timedelta(hours=11))
    refund = books.gave_back(books.sold(1_000, method="cash"), 500)
    back = books.gave_back(missing, 2_000)
    other = books.tell("payout", "-100.00")
    day = books.reconcile()
    assert found_kinds() == [
        ("only here", f"payment:{missing.pk}", 8_400, "write off"),
        ("refunded here", f"refund:{back.pk}", -2_000, "confirm"),
    ]
    (sums,) = day.currencies
    assert (sums.findings_here, sums.in_flight_here, sums.here) == (Part(2, 6_400), Part(1, 8_400), Part(3, 14_800))
    assert (sums.other, sums.there) == (Part(1, -10_000),) * 2
    assert BalanceTransaction.objects.get(provider_id=other).outcome == "other"
    assert not Finding.objects.filter(refund=refund).exists()
    assert not Finding.objects.filter(payment=late).exists()


def test_a_payment_at_midnight_is_matched_on_the_providers_day_and_both_days_tie(books: Books, clock: Clock) -> None:
    before = books.sold(at=NOON + timedelta(hours=11, minutes=59))
    books.tell("payout", "-1.00")
    assert books.reconcile().currencies[0].in_flight_here == Part(1, 8_400)
    books.lines.clear()
    next_day = NOON + timedelta(days=1)
    books.tell_charge(before, at=NOON + timedelta(hours=12, seconds=2))
    clock.stand_still(at=NIGHT_AFTER + timedelta(days=1))
    day = books.reconcile(next_day.date())
    assert (day.currencies[0].matched, day.currencies[0].here) == (Part(1, 8_400),) * 2
    earlier = books.reconcile(DAY, report=(books.report().splitlines()[0] + b"\n"))
    assert (earlier.currencies[0].here, earlier.row.in_flight) == (Part(), 0)
    assert found_kinds() == []


def test_a_finding_that_the_other_side_explains_later_closes_and_is_not_told_again(books: Books, clock: Clock) -> None:
    payment = books.sold()
    books.tell("payout", "-1.00")
    books.reconcile()
    finding = Finding.objects.get()
    assert transitions.take(finding_id=finding.pk, by="anna")
    books.tell_charge(payment)
    clock.stand_still(at=NIGHT_AFTER + timedelta(hours=1))
    day = books.reconcile()
    finding.refresh_from_db()
    assert (finding.resolution, finding.resolved_by, finding.owner) == ("matched later", "", "anna")
    assert finding.resolved_at == NIGHT_AFTER + timedelta(hours=1)
    assert (day.row.findings, day.currencies[0].matched) == (0, Part(1, 8_400))


def test_another_amount_and_another_currency_are_found_with_both_sides(books: Books) -> None:
    too_much, too_little, dollars = (books.sold() for _ in range(3))
    more = books.tell_charge(too_much, "84.01")
    less = books.tell_charge(too_little, "80.00")
    other = books.tell_charge(dollars, currency="usd")
    refund = books.gave_back(books.sold(), 4_200)
    books.tell_charge(refund.payment)
    back = books.tell_refund(refund, "-84.00")
    day = books.reconcile()
    assert sorted(found_kinds()) == sorted(
        [
            ("other amount", more, 1, "refund"),
            ("other amount", less, -400, "write off"),
            ("other amount", back, -4_200, "write off"),
            ("other currency", other, 8_400, "write off"),
        ]
    )
    found = Finding.objects.get(source=other)
    assert (found.there, found.currency, found.here, found.here_currency) == (8_400, "USD", 8_400, "EUR")
    euros, usd = day.currencies
    assert (euros.findings_there, euros.findings_here) == (Part(3, 8_001), Part(4, 21_000))
    assert (usd.findings_there, usd.findings_here) == (Part(1, 8_400), Part())


def test_paid_twice_is_found_for_the_second_payment_of_an_order_unless_it_goes_back(books: Books) -> None:
    first, given_back = books.sold(), books.sold()
    second = books.paid(first.order)
    books.gave_back(books.paid(given_back.order), status="planned", settled_at=None, provider_id="")
    for payment in (first, given_back, *given_back.order.payments.exclude(pk=given_back.pk)):
        books.tell_charge(payment)
    told = books.tell_charge(second)
    again = books.tell_charge(first, at=NOON + timedelta(minutes=1))
    day = books.reconcile()
    assert sorted(found_kinds()) == sorted(
        [("paid twice", told, 8_400, "refund"), ("paid twice", again, 8_400, "refund")]
    )
    assert (day.currencies[0].findings_there, day.currencies[0].findings_here) == (Part(2, 16_800), Part(1, 8_400))


def test_a_refund_that_somebody_made_at_the_provider_is_found(books: Books) -> None:
    payment = books.sold()
    books.tell_charge(payment)
    by_hand = books.tell_refund(None, "-84.00", payment_intent_id=payment.intent_id)
    unsent = books.gave_back(books.sold(), status="failed", failure="unanswered", settled_at=NOON, provider_id="")
    books.tell_charge(unsent.payment)
    told = books.tell_refund(
        None, "-84.00", payment_intent_id=unsent.payment.intent_id, **{"refund_metadata[refund]": str(unsent.pk)}
    )
    books.reconcile()
    assert sorted(found_kinds()) == sorted(
        [("refunded there", by_hand, -8_400, "attach"), ("refunded there", told, -8_400, "confirm")]
    )
    assert Finding.objects.get(source=by_hand).payment == payment


def test_a_refund_under_way_here_is_in_flight_and_then_found(books: Books, clock: Clock) -> None:
    refund = books.gave_back(books.sold(), status="pending", settled_at=None)
    books.tell_charge(refund.payment)
    told = books.tell_refund(refund, at=NOON + timedelta(hours=10))
    clock.stand_still(at=NOON + timedelta(hours=13))
    assert books.reconcile().currencies[0].in_flight_there == Part(1, -8_400)
    clock.stand_still(at=NOON + timedelta(hours=18))
    books.reconcile()
    assert found_kinds() == [("refunded there", told, -8_400, "confirm")]


def test_money_that_the_bank_sent_back_is_matched_as_two_and_found_where_we_do_not_know(books: Books) -> None:
    returned = books.gave_back(books.sold(), status="failed", failure="returned")
    believed = books.gave_back(books.sold())
    for refund in (returned, believed):
        books.tell_charge(refund.payment)
        books.tell_refund(refund)
    books.tell("refund_failure", "84.00", source_id=returned.provider_id)
    told = books.tell("refund_failure", "84.00", source_id=believed.provider_id)
    day = books.reconcile()
    assert found_kinds() == [("refunded here", told, 8_400, "confirm")]
    (sums,) = day.currencies
    assert (sums.matched, sums.findings_there, sums.findings_here) == (Part(5, 8_400), Part(1, 8_400), Part())


def test_a_dispute_is_one_finding_until_it_is_won(books: Books, clock: Clock) -> None:
    payment = books.sold()
    books.tell_charge(payment)
    about = {"source_id": "du_1", "payment_intent_id": payment.intent_id}
    books.tell("dispute", "-84.00", "15.00", **about)
    day = books.reconcile()
    assert found_kinds() == [("dispute", "dispute:du_1", -8_400, "write off")]
    assert Finding.objects.get().order == payment.order
    assert day.currencies[0].findings_there == Part(1, -8_400)
    clock.stand_still(at=NIGHT_AFTER + timedelta(days=1))
    books.tell("dispute_reversal", "84.00", at=NOON + timedelta(days=1), **about)
    won = books.reconcile(DAY + timedelta(days=1))
    assert won.currencies[0].undone == Part(1, 8_400)
    assert found_kinds() == []
    assert Finding.objects.get().resolution == "matched later"


def test_money_that_nobody_here_knows_and_that_went_back_concerns_nobody(books: Books) -> None:
    books.tell_charge(None, payment_intent_id="pi_shop")
    books.tell_refund(None, payment_intent_id="pi_shop")
    day = books.reconcile()
    assert (day.currencies[0].undone, found_kinds()) == (Part(2, 0), [])


def test_a_fee_beyond_what_the_contract_says_is_found_beside_a_payment_that_matches(books: Books) -> None:
    good, dear, free, yen = books.sold(), books.sold(), books.sold(), books.sold(5_000, currency="JPY")
    books.tell_charge(good, fee="2.98")
    too_much = books.tell_charge(dear, fee="10.00")
    too_little = books.tell_charge(free, fee="0.00")
    books.tell_charge(yen, "5000", "4000", currency="jpy")
    day = books.reconcile()
    assert sorted(found_kinds()) == sorted(
        [("fee", too_much, 702, "write off"), ("fee", too_little, -151, "write off")]
    )
    euros, yens = day.currencies
    assert (euros.matched, euros.findings_there, euros.fees) == (Part(3, 25_200), Part(), 1_298)
    assert (euros.fee_is_judged, yens.fee_is_judged) == (True, False)


def test_what_is_still_pending_after_its_time_is_found(books: Books) -> None:
    old = NIGHT_AFTER - timedelta(days=8)
    payment = books.sold(status="pending", settled_at=None, created_at=NIGHT_AFTER - timedelta(hours=25))
    books.sold(status="pending", settled_at=None, created_at=NIGHT_AFTER - timedelta(hours=23))
    paid = books.sold(at=old)
    refund = books.gave_back(paid, 4_000, status="pending", settled_at=None, created_at=old)
    books.gave_back(paid, 400, status="pending", settled_at=None, created_at=NIGHT_AFTER)
    books.tell("payout", "-1.00")
    books.reconcile()
    assert found_kinds() == [
        ("pending", f"payment:{payment.pk}", 8_400, "confirm"),
        ("pending", f"refund:{refund.pk}", -4_000, "confirm"),
    ]


def test_a_day_that_is_run_again_gives_the_same_rows_and_reports_nothing_twice(books: Books) -> None:
    payment = books.sold()
    books.tell_charge(payment)
    stranger = books.tell_charge(None)
    books.sold()
    books.reconcile()
    before = everything_written()
    books.reconcile()
    assert everything_written() == before
    finding = Finding.objects.get(source=stranger)
    written_off = Finding.Resolution.WRITTEN_OFF
    assert transitions.resolve(finding=finding, resolution=written_off, by="anna", reason="the bar's money")
    assert not transitions.resolve(finding=finding, resolution=written_off, by="ben", reason="mine")
    day = books.reconcile()
    finding.refresh_from_db()
    assert (finding.resolution, finding.reason) == ("written off", "the bar's money")
    assert day.currencies[0].findings_there == Part(1, 8_400)


def test_what_had_resolved_itself_is_open_again_when_it_comes_back(books: Books) -> None:
    stranger = books.tell_charge(None)
    books.reconcile()
    Finding.objects.update(resolution="matched later", resolved_at=NOON, told_with=DAY - timedelta(days=3))
    books.reconcile()
    finding = Finding.objects.get(source=stranger)
    assert (finding.resolution, finding.resolved_at, finding.told_with) == ("", None, DAY)


def test_amounts_that_the_provider_writes_with_two_decimals_are_compared_in_its_own_count(books: Books) -> None:
    krona, dinar = books.sold(5_000, currency="ISK"), books.sold(12_340, currency="KWD")
    books.tell_charge(krona, "5000.00", "75.25", currency="isk")
    books.tell_charge(dinar, "12.340", "0.435", currency="kwd")
    day = books.reconcile()
    isk, kwd = day.currencies
    assert (isk.matched, isk.here, isk.fees) == (Part(1, 500_000), Part(1, 500_000), 7_525)
    assert (kwd.matched, kwd.fees) == (Part(1, 12_340), 435)
    assert found_kinds() == []


def test_a_day_that_was_never_read_makes_nobody_look_for_its_money(books: Books, clock: Clock) -> None:
    books.sold(at=NOON - timedelta(days=1))
    books.tell("payout", "-1.00")
    books.reconcile()
    assert found_kinds() == []
