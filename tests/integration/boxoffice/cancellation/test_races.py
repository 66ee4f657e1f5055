"""Staff refund single orders, fans pay and the process of a cancelled show goes on, all at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress

import pytest
from django.db import transaction

from boxoffice.cancellation import workflow
from boxoffice.cancellation.accounts import read_accounts
from boxoffice.cancellation.pause import pause_refunds
from boxoffice.cancellation.resume import resume_refunds
from boxoffice.cancellation.write_off import write_off
from boxoffice.errors import BoxOfficeError
from boxoffice.models import Order, Payment, Refund
from boxoffice.payments.provider import Answer
from boxoffice.payments.settle_payment import take_in
from boxoffice.refunds.errors import NothingToRefund
from boxoffice.refunds.refund_order import refund_order
from jobs.models import Job
from tests.cancelled_shows import WHO_AND_WHY, Work, begin_cancelling, hand_out, pay_at, run_steps, send_all, sold_show
from tests.fixtures_inventory import all_at_once
from tests.fixtures_payments import Payments

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("refunds_without_limit")]

LATE = 8
"""Orders whose money comes while the show is being cancelled."""


def wait_for_payment(order: Order) -> Payment:
    """Its payment is open, as if its fan were on the payment page."""
    Order.objects.filter(pk=order.pk).update(status="pending_payment", confirmed_at=None)
    Payment.objects.filter(order=order).update(status="pending", settled_at=None, intent_id="")
    return Payment.objects.get(order=order)


def test_staff_fans_and_the_process_race_and_no_cent_goes_back_twice(
    refund_provider: Payments, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workflow, "PAGE", 6)
    show = sold_show(orders=60)
    pay_at(refund_provider, show=show)
    paid = dict(Payment.objects.filter(order__show=show).values_list("intent_id", "amount"))
    orders = list(Order.objects.filter(show=show).order_by("pk"))
    intents = dict(Payment.objects.filter(order__show=show).values_list("order_id", "intent_id"))
    late = [wait_for_payment(order) for order in orders[::8][:LATE]]
    waiting = {payment.order_id for payment in late}
    begin_cancelling(show)

    def refund(order: Order) -> Callable[[], object]:
        def call() -> None:
            with suppress(NothingToRefund):  # its page was faster
                refund_order(order_id=order.pk, **WHO_AND_WHY)

        return call

    def pay(payment: Payment) -> Callable[[], object]:
        answer = Answer(
            payment.provider_id, "paid", "", payment.idempotency_key, payment.amount, payment.currency,
            intents[payment.order_id],
        )  # fmt: skip

        def call() -> None:
            with transaction.atomic():
                take_in(payment_id=payment.pk, answer=answer)

        return call

    def press() -> None:
        for verb in (pause_refunds, resume_refunds):
            verb(show_id=show.pk, **WHO_AND_WHY)
        with suppress(BoxOfficeError):
            write_off(order_id=orders[0].pk, **WHO_AND_WHY)

    singles = [refund(order) for order in orders[::-2] if order.pk not in waiting]
    calls: list[Callable[[], object]] = [lambda: run_steps(work), lambda: send_all(work, threads=2), press]
    for number, single in enumerate(singles):
        calls.append(single)
        if number < len(late):
            calls.append(pay(late[number]))
    outcomes = all_at_once(calls, threads=6)
    assert [outcome for outcome in outcomes if isinstance(outcome, Exception)] == []

    run_steps(work)
    send_all(work)
    for job_id in hand_out(queue="payments", tasks=["boxoffice.send_refund"]):
        work(job_id)
    assert not Job.objects.filter(state__in=["dead", "running"]).exists()
    back: Counter[str] = Counter()
    for refund_ in refund_provider.client().v1.refunds.list({"limit": 100}).auto_paging_iter():
        back[str(refund_.payment_intent)] += refund_.amount
    assert back == Counter(paid)
    assert read_accounts(show_id=show.pk).match
    assert Refund.objects.filter(cancellation__isnull=True).count() == 0
