"""What people do about findings: each is done once, by the services that do it elsewhere, and the trail says who."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.db.utils import DatabaseError
from django.test import Client

from boxoffice.cancellation.accounts import read_accounts
from boxoffice.cancellation.plan_again import plan_order_again
from boxoffice.cancellation.plan_orders import plan_orders
from boxoffice.cancellation.start import cancel_show
from boxoffice.models import BalanceTransaction, BooksAction, Finding, Order, Payment, Refund
from boxoffice.reconciliation.actions.attach_finding import attach_finding
from boxoffice.reconciliation.actions.confirm_finding import confirm_finding
from boxoffice.reconciliation.actions.errors import FindingResolved, FindingTaken, NoSuchOrder, NotConfirmed, NotOffered
from boxoffice.reconciliation.actions.own_finding import give_finding_back, take_finding
from boxoffice.reconciliation.actions.refund_finding import refund_finding
from boxoffice.reconciliation.actions.write_off_finding import write_off_finding
from boxoffice.refunds.transitions import mark_failed
from inventory.models import Show
from jobs.models import Job
from notifications.models import Notification
from tests.fixtures_inventory import all_at_once
from tests.fixtures_payments import Payments
from tests.fixtures_purchases import pay
from tests.fixtures_refunds import WHO_AND_WHY, money_back

DAY = datetime(2026, 11, 29, 12, tzinfo=UTC)
Kind, Action = Finding.Kind, Finding.Action


@pytest.fixture
def make_finding(db: None) -> Callable[..., Finding]:
    """A finding as a comparison leaves it, with the provider's transaction unless there is none."""

    def make(
        kind: str, suggestion: str, *, amount: int = 8_400, told: bool = True, source: str = "", **given: Any
    ) -> Finding:
        intent = given.pop("intent", "")
        transaction = (
            BalanceTransaction.objects.create(
                provider_id=f"txn_{kind}", category="charge", amount=amount, fee=0, net=amount, currency="EUR",
                created_at=DAY, source=source, intent_id=intent, outcome="finding",
            )
            if told
            else None
        )  # fmt: skip
        values: dict[str, Any] = {"there": amount if told else None, "currency": "EUR", **given}
        return Finding.objects.create(
            kind=kind, source=f"txn_{kind}", day=DAY.date(), told_with=DAY.date(), amount=amount,
            suggestion=suggestion, transaction=transaction, **values,
        )  # fmt: skip

    return make


def resolution(finding: Finding) -> tuple[str, str]:
    finding.refresh_from_db()
    return finding.resolution, finding.resolved_by


def trail(finding: Finding) -> list[tuple[str, str]]:
    return list(BooksAction.objects.filter(finding=finding).order_by("pk").values_list("action", "by"))


@pytest.mark.django_db
def test_confirming_asks_the_provider_and_sells_the_seats_of_a_payment_that_we_never_heard_of(
    started_payment: Payment, paid_house: Payments, make_finding: Callable[..., Finding]
) -> None:
    finding = make_finding(Kind.ONLY_THERE, Action.CONFIRM, payment=started_payment, order=started_payment.order)
    with pytest.raises(NotConfirmed):
        confirm_finding(finding_id=finding.pk, by="anna")
    assert resolution(finding) == ("", "")
    pay(paid_house, started_payment)
    confirm_finding(finding_id=finding.pk, by="anna")
    assert Order.objects.get().status == "confirmed"
    assert (resolution(finding), trail(finding)) == (("confirmed", "anna"), [("confirm", "anna")])
    with pytest.raises(FindingResolved):
        confirm_finding(finding_id=finding.pk, by="otto")


@pytest.mark.django_db
def test_confirming_a_refund_that_failed_here_takes_over_what_the_provider_made(
    paid_order: Order, refund_provider: Payments, make_finding: Callable[..., Finding]
) -> None:
    payment = Payment.objects.get()
    made = refund_provider.client().v1.refunds.create({"payment_intent": payment.intent_id})
    ours = Refund.objects.create(
        payment=payment, amount=8_400, currency="EUR", status="failed", failure="refused", idempotency_key="r-1",
        settled_at=DAY,
    )  # fmt: skip
    finding = make_finding(
        Kind.REFUNDED_THERE, Action.CONFIRM, amount=-8_400, source=made.id, payment=payment, refund=ours
    )
    confirm_finding(finding_id=finding.pk, by="anna")
    ours.refresh_from_db()
    assert (ours.status, ours.provider_id, resolution(finding)[0]) == ("succeeded", made.id, "confirmed")


@pytest.mark.django_db
def test_money_of_an_attempt_that_had_expired_here_goes_back_and_its_fan_is_told(
    paid_order: Order, refund_provider: Payments, make_finding: Callable[..., Finding], send: Callable[..., Job]
) -> None:
    intent = str(refund_provider.paid_session().payment_intent)
    attempt = Payment.objects.create(
        order=paid_order, amount=8_400, currency="EUR", status="expired", idempotency_key="late", settled_at=DAY
    )
    finding = make_finding(Kind.ONLY_THERE, Action.REFUND, payment=attempt, order=paid_order, intent=intent)
    refund_finding(finding_id=finding.pk, **WHO_AND_WHY)
    attempt.refresh_from_db()
    assert (attempt.status, attempt.intent_id, resolution(finding)[0]) == ("succeeded", intent, "refunded")
    assert send().state == "done"
    assert money_back(refund_provider) == [8_400]
    assert Notification.objects.filter(kind="paid_too_late").count() == 1
    paid_order.refresh_from_db()
    assert paid_order.status == "confirmed"


@pytest.mark.django_db
def test_what_was_paid_too_much_goes_back_and_no_more(
    paid_order: Order, refund_provider: Payments, make_finding: Callable[..., Finding], send: Callable[..., Job]
) -> None:
    payment = Payment.objects.get()
    finding = make_finding(Kind.PAID_TWICE, Action.REFUND, amount=4_200, payment=payment, order=paid_order)
    refund_finding(finding_id=finding.pk, **WHO_AND_WHY)
    send()
    assert money_back(refund_provider) == [4_200]
    paid_order.refresh_from_db()
    assert paid_order.status == "confirmed"


@pytest.mark.django_db
def test_money_without_a_payment_buys_the_seats_of_the_order_that_waits_for_just_this_sum(
    dear_order: Order, make_finding: Callable[..., Finding]
) -> None:
    finding = make_finding(Kind.ONLY_THERE, Action.ATTACH, intent="pi_found")
    with pytest.raises(NoSuchOrder):
        attach_finding(finding_id=finding.pk, code="NOBODYS", **WHO_AND_WHY)
    done = attach_finding(finding_id=finding.pk, code=f" {dear_order.code.lower()} ", **WHO_AND_WHY)
    dear_order.refresh_from_db()
    assert (done.outcome, dear_order.status, resolution(finding)[0]) == ("bought", "confirmed", "attached")
    assert Payment.objects.get().intent_id == "pi_found"


@pytest.mark.django_db
def test_money_attached_to_an_order_that_waits_for_none_goes_back(
    paid_order: Order, make_finding: Callable[..., Finding]
) -> None:
    finding = make_finding(Kind.ONLY_THERE, Action.WRITE_OFF, intent="pi_found")
    done = attach_finding(finding_id=finding.pk, code=paid_order.code, **WHO_AND_WHY)
    found = Payment.objects.get(intent_id="pi_found")
    assert (done.outcome, found.refunds.get().amount) == ("goes back", 8_400)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("state", "words", "outcome"),
    [
        ("scheduled", "its seats are sold if they are still free", "bought"),
        ("postponed", "its seats are sold if they are still free", "bought"),
        ("cancelled", "is cancelled. The money goes back, and a mail says so", "goes back"),
        ("over", "is sold any more. The money goes back, and a mail says so", "goes back"),
    ],
)
def test_what_is_said_before_money_is_attached_is_what_comes_of_it_however_the_show_stands(
    state: str,
    words: str,
    outcome: str,
    staff: Client,
    dear_order: Order,
    make_finding: Callable[..., Finding],
) -> None:
    finding = make_finding(Kind.ONLY_THERE, Action.ATTACH, intent="pi_found")
    Show.objects.filter(pk=dear_order.show_id).update(status=state)
    asks = f"/admin/boxoffice/finding/{finding.pk}/do/attach/?code={dear_order.code}"
    page = staff.get(asks).content.decode()
    assert words in page
    assert ("its seats are sold" in page) is (outcome == "bought")
    done = attach_finding(finding_id=finding.pk, code=dear_order.code, **WHO_AND_WHY)
    assert done.outcome == outcome
    told = Notification.objects.filter(subject=dear_order.subject).values_list("kind", flat=True)
    assert ("paid_too_late" in told) is (outcome == "goes back")


@pytest.mark.django_db
def test_a_code_of_no_order_is_refused_at_once_and_not_said_to_be_what_will_happen(
    staff: Client, dear_order: Order, make_finding: Callable[..., Finding]
) -> None:
    finding = make_finding(Kind.ONLY_THERE, Action.ATTACH, intent="pi_found")
    page = f"/admin/boxoffice/finding/{finding.pk}/"
    answer = staff.get(f"{page}do/attach/?code=NOBODYS", follow=True)
    assert answer.redirect_chain == [(f"{page}change/", 302)]
    assert "There is no order with this code." in answer.text
    without_a_reason = staff.post(f"{page}do/attach/", {"code": dear_order.code})
    assert "its seats are sold" in without_a_reason.text, "what will happen is said again beside the error"
    assert resolution(finding)[0] == ""


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("state", "words"),
    [("scheduled", "its seats are sold where they are free"), ("cancelled", "the show is cancelled or over")],
)
def test_what_confirming_does_is_said_as_the_show_stands(
    state: str, words: str, staff: Client, started_payment: Payment, make_finding: Callable[..., Finding]
) -> None:
    order = started_payment.order
    finding = make_finding(Kind.ONLY_THERE, Action.CONFIRM, payment=started_payment, order=order)
    Show.objects.filter(pk=order.show_id).update(status=state)
    assert words in staff.get(f"/admin/boxoffice/finding/{finding.pk}/change/").content.decode()


@pytest.mark.django_db
def test_a_refund_that_somebody_made_at_the_provider_is_written_down_once_and_not_sent_again(
    paid_order: Order, make_finding: Callable[..., Finding]
) -> None:
    payment = Payment.objects.get()
    finding = make_finding(
        Kind.REFUNDED_THERE, Action.ATTACH, amount=-4_200, source="re_hand", payment=payment, order=paid_order
    )
    attach_finding(finding_id=finding.pk, code="", **WHO_AND_WHY)
    refund = Refund.objects.get()
    assert (refund.status, refund.amount, refund.provider_id) == ("succeeded", 4_200, "re_hand")
    assert not Job.objects.filter(task="boxoffice.send_refund").exists()


@pytest.mark.django_db
def test_what_somebody_gave_back_by_hand_of_a_cancelled_show_leaves_the_rest_to_the_fan(
    paid_order: Order, make_finding: Callable[..., Finding]
) -> None:
    show = paid_order.show
    cancellation = cancel_show(show_id=show.pk, seen=show.version, name=show.title, **WHO_AND_WHY)
    plan_orders(cancellation=cancellation, order_ids=[paid_order.pk])
    whole, payment = Refund.objects.get(), Payment.objects.get()
    mark_failed(refund_id=whole.pk, failure="refused", code="charge_already_refunded")
    finding = make_finding(
        Kind.REFUNDED_THERE, Action.ATTACH, amount=-4_200, source="re_hand", payment=payment, order=paid_order
    )
    attach_finding(finding_id=finding.pk, code="", **WHO_AND_WHY)
    for job in Job.objects.filter(task="boxoffice.plan_order_again"):
        plan_order_again(**job.args)
    rest = Refund.objects.get(status="planned")
    assert (rest.amount, rest.replaces_id, rest.cancellation_id) == (4_200, whole.pk, cancellation.pk)
    assert [account.left for account in read_accounts(show_id=show.pk).accounts] == [0]


@pytest.mark.django_db
def test_what_is_not_offered_is_not_done(make_finding: Callable[..., Finding]) -> None:
    finding = make_finding(Kind.FEE, Action.WRITE_OFF, amount=25)
    for refused in (lambda: confirm_finding(finding_id=finding.pk, by="anna"),
                    lambda: refund_finding(finding_id=finding.pk, **WHO_AND_WHY),
                    lambda: attach_finding(finding_id=finding.pk, code="X", **WHO_AND_WHY)):  # fmt: skip
        with pytest.raises(NotOffered):
            refused()
    assert (resolution(finding), trail(finding)) == (("", ""), [])


@pytest.mark.django_db(transaction=True)
def test_two_who_settle_one_finding_at_once_settle_it_once(
    paid_order: Order, make_finding: Callable[..., Finding]
) -> None:
    payment = Payment.objects.get()
    finding = make_finding(Kind.PAID_TWICE, Action.REFUND, amount=4_200, payment=payment, order=paid_order)
    calls: list[Callable[[], object]] = [
        lambda: refund_finding(finding_id=finding.pk, **WHO_AND_WHY),
        lambda: refund_finding(finding_id=finding.pk, **WHO_AND_WHY),
        lambda: write_off_finding(finding_id=finding.pk, **WHO_AND_WHY),
    ]
    outcomes = all_at_once(calls, threads=3)
    refused = [each for each in outcomes if isinstance(each, FindingResolved)]
    assert (len(refused), len(trail(finding))) == (2, 1)
    assert Refund.objects.count() == (1 if trail(finding)[0][0] == "refund" else 0)


@pytest.mark.django_db
def test_a_finding_is_taken_by_one_and_given_back_by_who_has_it(make_finding: Callable[..., Finding]) -> None:
    finding = make_finding(Kind.FEE, Action.WRITE_OFF)
    take_finding(finding_id=finding.pk, by="anna")
    take_finding(finding_id=finding.pk, by="anna")
    with pytest.raises(FindingTaken):
        take_finding(finding_id=finding.pk, by="otto")
    take_finding(finding_id=finding.pk, by="otto", from_owner="anna")
    give_finding_back(finding_id=finding.pk, by="otto")
    assert trail(finding) == [("take", "anna"), ("take", "otto"), ("give back", "otto")]


@pytest.mark.django_db
def test_the_trail_of_the_books_is_only_ever_added_to(make_finding: Callable[..., Finding]) -> None:
    take_finding(finding_id=make_finding(Kind.FEE, Action.WRITE_OFF).pk, by="anna")
    with pytest.raises(DatabaseError), connection.cursor() as cursor:
        cursor.execute("UPDATE boxoffice_booksaction SET by = 'otto'")


@pytest.mark.django_db
def test_a_finding_shows_both_sides_and_one_press_settles_it(
    staff: Client, paid_order: Order, make_finding: Callable[..., Finding]
) -> None:
    payment = Payment.objects.get()
    finding = make_finding(Kind.PAID_TWICE, Action.REFUND, amount=4_200, payment=payment, order=paid_order)
    page = staff.get(f"/admin/boxoffice/finding/{finding.pk}/change/").content.decode()
    assert "paid twice: 42.00" in page.lower()
    assert all(words in page for words in (payment.intent_id, "txn_paid twice", paid_order.code))
    asked = staff.get(f"/admin/boxoffice/finding/{finding.pk}/do/refund/").content.decode()
    assert "goes back, the way it was paid." in asked
    answer = staff.post(f"/admin/boxoffice/finding/{finding.pk}/do/refund/", {"reason": "twice"}, follow=True)
    assert "is on its way back." in answer.content.decode()
    again = staff.post(f"/admin/boxoffice/finding/{finding.pk}/do/write-off/", {"reason": "late"}, follow=True)
    assert "This is resolved already" in again.content.decode()
    assert Refund.objects.count() == 1
