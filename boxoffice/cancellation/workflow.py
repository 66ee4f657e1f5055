"""The process of a cancelled show, from top to bottom.

    start ─▶ refunding ─▶ telling ─▶ waiting ─▶ closing ─▶ closed
             └ pages ┘    └ pages ┘   7 days     └ until payments = refunds + written off ┘

``start.py`` stops the sale and hands over to ``begin``. From then on each step is a job that calls ``go_on`` in the
transaction which ends it: the step, the row that tells what it did, the cursor and the job of the next step commit
together. Refunds and mails are jobs of their own, which nobody here waits for: what became of them is read when the
accounting is to be closed.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.utils import translation

from boxoffice.cancellation import transitions
from boxoffice.cancellation.accounts import read_accounts
from boxoffice.cancellation.pages import next_orders, next_to_tell
from boxoffice.cancellation.plan_orders import plan_orders
from boxoffice.cancellation.take_back import take_back
from boxoffice.cancellation.tell_orders import tell_orders
from boxoffice.models import Cancellation, CancellationStep
from inventory.models.show import subject_of
from jobs.clock import database_now
from jobs.enqueue import enqueue
from tickets.void_many_tickets import forget_many_files

log = structlog.get_logger(__name__)

TASK = "boxoffice.go_on_with_cancellation"

PAGE = 500
"""Orders of one transaction, which holds their locks for a fraction of a second."""

LASTS = timedelta(days=7)
"""Between the last mail and the closing of the accounting: cards and banks take days, and so do fans who write."""

LOOK_AGAIN_AFTER = timedelta(hours=1)
"""What settles a sum asks for a look itself (``look_soon``); this is for what nobody told."""

LOOK_SOON = timedelta(seconds=5)
"""Many that settle at once ask for one look."""

PRIORITY = 4
"""Before the work in the database that can wait: a fan must not stand before a closed door with a valid ticket."""

Phase, Step = Cancellation.Phase, CancellationStep.Step


def begin(*, cancellation: Cancellation, result: dict[str, Any]) -> None:
    """The sale has stopped: write down what that did, and let the first page come. Part of the caller's transaction."""
    transitions.write_step(cancellation, Step.START, result=result)
    _next(cancellation)


def go_on(*, cancellation_id: int, phase: str, cursor: int) -> None:
    """Do the step that begins here, and enqueue the next. Part of the transaction that ends the job; a step that was
    done does nothing.
    """
    here = transitions.lock_at(cancellation_id=cancellation_id, phase=phase, cursor=cursor)
    if here is not None:
        _STEPS[Phase(here.phase)](here)


def _refund_everybody(here: Cancellation) -> None:
    order_ids = next_orders(show_id=here.show_id, after=here.cursor, page=PAGE)
    planned = plan_orders(cancellation=here, order_ids=order_ids)
    transitions.write_step(here, Step.REFUND, number=here.cursor, result=asdict(planned))
    if len(order_ids) == PAGE:
        transitions.move_cursor(here, to=order_ids[-1])
    else:
        transitions.begin_telling(here, cursor=0)
    _next(here)


def _tell_everybody(here: Cancellation) -> None:
    order_ids = next_to_tell(cancellation_id=here.pk, after=here.cursor, page=PAGE)
    mails = tell_orders(cancellation_id=here.pk, order_ids=order_ids)
    taken = take_back(order_ids=order_ids)
    forget_many_files(order_ids=order_ids)
    result = {"orders": len(order_ids), "mails": mails, **asdict(taken)}
    transitions.write_step(here, Step.TELL, number=here.cursor, result=result)
    if len(order_ids) == PAGE:
        transitions.move_cursor(here, to=order_ids[-1])
        _next(here)
        return
    transitions.begin_waiting(here, lasts=LASTS)
    assert here.close_at is not None
    transitions.write_step(here, Step.WAIT, result={"until": here.close_at.isoformat()})
    _next(here, at=here.close_at)


def _wait(here: Cancellation) -> None:
    if transitions.begin_closing(here):
        _next(here)
    else:
        _next(here, at=here.close_at)


def _close(here: Cancellation) -> None:
    accounts = read_accounts(show_id=here.show_id)
    sums = {account.currency: asdict(account) for account in accounts.accounts}
    if accounts.match:
        transitions.close(here)
        transitions.write_step(here, Step.CLOSE, result={"accounts": sums})
        log.info("cancellation_closed", cancellation=here.pk, show=here.show_id)
        return
    with translation.override(None):
        reasons = accounts.reasons()
    transitions.note_look(here, result=json.dumps({"accounts": sums, "reasons": reasons}))
    _next(here, at=database_now() + LOOK_AGAIN_AFTER)


_STEPS = {
    Phase.REFUNDING: _refund_everybody,
    Phase.TELLING: _tell_everybody,
    Phase.WAITING: _wait,
    Phase.CLOSING: _close,
    Phase.CLOSED: lambda _here: None,
}


def look_soon(*, cancellation: Cancellation) -> None:
    """A sum of it was settled: where that is all that it waits for, close it. Part of the caller's transaction. One
    query, none before its week is over.
    """
    if cancellation.phase == Phase.CLOSING:
        _next(cancellation, at=database_now() + LOOK_SOON)


def _next(cancellation: Cancellation, *, at: datetime | None = None) -> None:
    """The job of the step that begins where the cancellation stands now."""
    looks = cancellation.phase == Phase.CLOSING
    enqueue(
        task=TASK,
        args={"cancellation_id": cancellation.pk, "phase": str(cancellation.phase), "cursor": cancellation.cursor},
        subject=subject_of(show_id=cancellation.show_id),
        priority=PRIORITY,
        available_at=at,
        unique_key=f"close accounting:{cancellation.pk}" if looks else "",
    )
