"""A thousand orders, and the process is killed at every step of the way: each is refunded once, and told once."""

from __future__ import annotations

from collections import Counter
from itertools import cycle

import pytest

from boxoffice.cancellation.accounts import read_accounts
from boxoffice.models import CancellationStep, Order, Payment
from jobs.models import Job
from notifications.models import Notification
from tests.cancelled_shows import Work, begin_cancelling, hand_out, pay_at, send_all, sold_show
from tests.fixtures_payments import Payments
from tests.forked_kills import KillPoint, killed_in_job

pytestmark = pytest.mark.django_db(transaction=True)

STEP = "boxoffice.go_on_with_cancellation"

AT_EACH_STEP = {
    "after the claim": KillPoint("before", "boxoffice.tasks.workflow.go_on"),
    "in the middle of a page": KillPoint("after", "boxoffice.cancellation.plan_orders.enqueue_selected"),
    "mails planned": KillPoint("after", "boxoffice.cancellation.workflow.tell_orders"),
    "the step is written down": KillPoint("after", "boxoffice.cancellation.workflow.transitions.write_step"),
    "the next is enqueued": KillPoint("after", "boxoffice.cancellation.workflow._next"),
    "before the commit": KillPoint("after", "jobs.transitions.mark_done"),
    "after the commit": KillPoint("after", "jobs.claim.Claim.note_recorded"),
}
AT_EACH_REFUND = {
    "before the provider hears of it": KillPoint("before", "boxoffice.refunds.send_refund.ask_for_refund"),
    "before its answer is written down": KillPoint("after", "boxoffice.refunds.send_refund.ask_for_refund"),
    "before the commit": KillPoint("after", "jobs.transitions.mark_done"),
    "after the commit": KillPoint("after", "jobs.claim.Claim.note_recorded"),
}
MOST_KILLS_OF_A_JOB = 4
"""One more, and the ledger takes it for a job that kills its workers."""


def refunds_by_payment(provider: Payments) -> Counter[tuple[str, int]]:
    """What the stand-in has paid back, by payment and amount."""
    listed = provider.client().v1.refunds.list({"limit": 100}).auto_paging_iter()
    return Counter((str(refund.payment_intent), refund.amount) for refund in listed if refund.status == "succeeded")


def go_through_all_steps(work: Work) -> Counter[str]:
    """Kill each step at one point after the other, as often as the ledger bears; by point, how often."""
    kills: Counter[str] = Counter()
    points = cycle(AT_EACH_STEP.items())
    while due := hand_out(queue="default", tasks=[STEP]):
        for _ in range(MOST_KILLS_OF_A_JOB):
            name, point = next(points)
            kills[name] += killed_in_job(point, job_id=due[0], work=work)
            if not (again := hand_out(queue="default", tasks=[STEP])) or again[0] != due[0]:
                break
        else:
            work(due[0])
    return kills


def test_a_thousand_orders_are_refunded_and_told_once_though_the_process_is_killed_at_every_step(
    refund_provider: Payments, refunds_without_limit: None, work: Work
) -> None:
    show = sold_show(orders=1_000)
    pay_at(refund_provider, show=show)
    cancellation = begin_cancelling(show)

    kills = go_through_all_steps(work)

    assert set(kills) == set(AT_EACH_STEP)
    assert min(kills.values()) >= 1
    steps = Counter(CancellationStep.objects.filter(cancellation=cancellation).values_list("step", flat=True))
    assert steps == {"start": 1, "refund": 3, "tell": 3, "wait": 1}
    jobs = Counter(Job.objects.filter(state="waiting").values_list("task", flat=True))
    assert jobs["boxoffice.send_mass_refund"] == jobs["boxoffice.send_bulk"] == 1_000

    for job_id, (name, point) in zip(hand_out(queue="refunds"), 2 * list(AT_EACH_REFUND.items()), strict=False):
        assert killed_in_job(point, job_id=job_id, work=work), name
    while send_all(work):
        pass

    paid = Payment.objects.filter(order__show=show).values_list("intent_id", "amount")
    assert refunds_by_payment(refund_provider) == Counter(paid)
    told = Counter(Notification.objects.filter(kind="show_cancelled").values_list("subject", flat=True))
    assert told == Counter(f"order:{code}" for code in Order.objects.filter(show=show).values_list("code", flat=True))
    (account,) = read_accounts(show_id=show.pk).accounts
    assert account.matches
    assert account.paid == account.given_back == sum(amount for _intent, amount in paid)
