"""The balance at the provider is too low to give money back: everything waits, somebody is told, and it goes on when it
was topped up.

Nobody can ask how much is enough, since other payments and payouts move the balance as well. So one refund is asked
for, or looked at where the provider has one pending, after 1, 2, 4, 8 and then every 15 minutes, by one job however
many shows wait; the first that goes out lets all of them go.
"""

from __future__ import annotations

from datetime import datetime, timedelta

import structlog
from django.db import transaction
from django.utils.translation import gettext_noop

from boxoffice.cancellation import transitions
from boxoffice.cancellation.hold_refunds import ask_to_hold_or_let_go
from boxoffice.models import Cancellation, Payment, Refund
from boxoffice.refunds.ask_provider import Answer, Means, ask_for_refund, look_up
from boxoffice.refunds.attempt import newest_attempt
from boxoffice.refunds.record_answer import record_answer
from jobs.clock import database_now
from jobs.enqueue import enqueue
from jobs.models import Job
from jobs.record import record

log = structlog.get_logger(__name__)

TASK = "boxoffice.ask_for_balance"
UNIQUE_KEY = "ask for balance"

LONGEST_WAIT_MINUTES = 15
ASKED_FOR_LONG = 4
"""From so many times on it is asked that seldom."""

BY = "BoxOffice"
# Shown on the page of the cancellation and in what needs attention.
TOP_UP = gettext_noop(
    "The balance at the payment provider is too low. Top it up: the refunds then go on by themselves."
)


def pause_for_balance() -> int:
    """Pause all cancellations that are under way, and have a job ask again; returns how many went on until now.

    Opens its own transaction, and is called outside any: see Note [Order of locks].
    """
    with transaction.atomic():
        paused = transitions.pause_for_balance(by=BY, reason=TOP_UP)
        for cancellation in paused:
            ask_to_hold_or_let_go(cancellation_id=cancellation.pk, show_id=cancellation.show_id)
        if paused:
            _ask_later(asked=0)
    if paused:
        log.warning("refunds_paused_for_balance", cancellations=len(paused))
    return len(paused)


def ask_for_balance(*, asked: int) -> None:
    """The job: try one refund, and let all go on if it went out. asked: how often that was in vain.

    Raises what the SDK raises where the outcome is unknown.
    """
    refund, answer = _try_one()
    with record():
        if answer is not None and answer.wants_balance:
            _ask_later(asked=asked + 1)
        else:
            for cancellation in transitions.resume_after_balance():
                ask_to_hold_or_let_go(cancellation_id=cancellation.pk, show_id=cancellation.show_id)
        if refund is not None and answer is not None:
            record_answer(refund=refund, answer=answer)


def looks_again_at() -> datetime | None:
    """When the balance is looked at next; None while no job waits for that. By job_one_waits_per_unique_key."""
    waiting = Job.objects.filter(unique_key=UNIQUE_KEY, state=Job.State.WAITING)
    return waiting.values_list("available_at", flat=True).first()


def ask_on_though_dead(*, asked: int) -> None:
    """A job that asks is dead, since the provider could not be reached for long: another one goes on asking, or all
    would wait for ever. Runs in the transaction that marks the job dead.
    """
    if Cancellation.objects.filter(pause=Cancellation.Pause.BALANCE).exists():
        _ask_later(asked=max(asked, ASKED_FOR_LONG))


def _try_one() -> tuple[Refund | None, Answer | None]:
    """Look at one that the provider has taken on and not paid out. Where it says nothing of the balance, as one that a
    bank is slow with, ask for one that was not sent. Returns the last and what was said of it; None for none.
    """
    refund, answer = None, None
    for status in (Refund.Status.PENDING, Refund.Status.PLANNED):
        found = _oldest(status)
        if found is None:
            continue
        refund = found
        answer = (
            look_up(found) if status == Refund.Status.PENDING else ask_for_refund(newest_attempt(refund_id=found.pk))
        )
        if answer.means is not Means.PENDING or answer.wants_balance:
            break
    return refund, answer


def _oldest(status: Refund.Status) -> Refund | None:
    """Of those whose cancellation waits for the balance. By refund_of_cancellation."""
    paused = Cancellation.objects.filter(pause=Cancellation.Pause.BALANCE)
    waiting = Refund.objects.filter(cancellation__in=paused, payment__method=Payment.Method.ONLINE, status=status)
    return waiting.select_related("payment__order", "cancellation").order_by("pk").first()


def _ask_later(*, asked: int) -> None:
    wait = timedelta(minutes=min(2**asked, LONGEST_WAIT_MINUTES))
    enqueue(task=TASK, args={"asked": asked}, available_at=database_now() + wait, unique_key=UNIQUE_KEY)
