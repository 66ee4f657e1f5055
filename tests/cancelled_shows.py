"""Shows with many orders, paid at the stand-in or nowhere, to be cancelled; and how to drive the jobs that do it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

from django.db import connection, transaction

from boxoffice.cancellation.plan_orders import SENDING
from boxoffice.cancellation.start import cancel_show
from boxoffice.models import Cancellation, Payment
from boxoffice.payments.minor_units import provider_amount
from boxoffice.volume.seed import seed_volume
from inventory.models import Show
from inventory.money import Money
from jobs import transitions
from jobs.models import Job
from jobs.session import engine_session
from jobs.worker.execution import Outcome
from tests.fixtures_payments import Payments

WHO_AND_WHY = {"by": "anna", "reason": "the singer is ill"}

# All of the volume's shows become the first one, whose seats then have names of their own.
MERGE = """
    UPDATE inventory_seat SET guid = show_id || guid, show_id = %(to)s WHERE show_id = ANY(%(ids)s::bigint[]);
    UPDATE inventory_hold SET show_id = %(to)s WHERE show_id = ANY(%(ids)s::bigint[]);
    UPDATE boxoffice_order SET show_id = %(to)s WHERE show_id = ANY(%(ids)s::bigint[]);
    UPDATE tickets_ticket SET show_id = %(to)s WHERE show_id = ANY(%(ids)s::bigint[]);
    UPDATE inventory_show SET status = 'scheduled', starts_at = jobs_now() + interval '9 days',
           doors_at = jobs_now() + interval '9 days' WHERE id = %(to)s
"""

LONG_AGO = datetime.fromisoformat("2020-01-01T00:00:00+00:00")

Work = Callable[[int], Outcome]


def sold_show(*, orders: int) -> Show:
    """A show with so many paid orders of some seats each, whose tickets are issued and whose mails were sent."""
    made = seed_volume(orders=orders)
    ids = list(made.show_ids)
    with connection.cursor() as cursor:
        cursor.execute(MERGE, {"to": ids[-1], "ids": ids[:-1]})
    return Show.objects.get(pk=ids[-1])


def pay_at(provider: Payments, *, show: Show) -> None:
    """Let the stand-in have the money of all online payments of the show."""
    paid = Payment.objects.filter(order__show=show, method="online", status="succeeded")
    given = [
        {
            "id": payment.intent_id,
            "amount": provider_amount(Money(payment.amount, payment.currency)),
            "currency": payment.currency,
        }
        for payment in paid.order_by("pk")
    ]
    for start in range(0, len(given), 1000):
        provider.post("payments", payments=given[start : start + 1000])


def begin_cancelling(show: Show) -> Cancellation:
    """As staff do on the show's page."""
    show.refresh_from_db()
    return cancel_show(show_id=show.pk, seen=show.version, name=show.title, **WHO_AND_WHY)


def hand_out(*, queue: str, tasks: Sequence[str] = ()) -> list[int]:
    """What is due in a queue, marked as a relay marks it; the jobs' ids in their order."""
    engine_session("default")
    with transaction.atomic():
        transitions.mark_due(using="default", queue=queue, window=100_000, batch=100_000)
    published = Job.objects.filter(queue=queue, state="published")
    if tasks:
        published = published.filter(task__in=tasks)
    return list(published.order_by("priority", "available_at", "pk").values_list("pk", flat=True))


def run_steps(work: Work, *, most: int = 500) -> int:
    """Run the jobs of the process until none is due; returns how many ran."""
    for ran in range(most):
        due = hand_out(queue="default", tasks=["boxoffice.go_on_with_cancellation", "boxoffice.hold_refunds"])
        if not due:
            return ran
        work(due[0])
    raise AssertionError(f"The process did not come to rest after {most} steps.")


def send_all(work: Work, *, threads: int = 6) -> int:
    """Run what waits in the queue of refunds, once each, as a pool of threads does; returns how many ran."""
    later = Job.objects.filter(task=SENDING, state="waiting", gate="later")
    later.update(available_at=LONG_AGO, gate="ready")
    due = hand_out(queue="refunds", tasks=[SENDING])

    def run(job_ids: Sequence[int]) -> None:
        try:
            for job_id in job_ids:
                work(job_id)
        finally:
            connection.close()

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(run, [due[start::threads] for start in range(threads)]))
    return len(due)
