"""The jobs that send the refunds of a paused cancellation wait, so that they do not come in circles; and go on.

Guarantee: a pause holds from its commit on, since each job asks before it calls anybody (``turn.py``). Setting the jobs
aside only spares the work of asking. Letting them go is a job of its own as well, in the ledger with the resumption, so
that none of them stays behind.
"""

from __future__ import annotations

from typing import Any

from django.db import connection

from boxoffice.cancellation.plan_orders import SENDING
from boxoffice.models import Cancellation
from inventory.models.show import subject_of
from jobs.enqueue import enqueue
from jobs.park import let_go, park

TASK = "boxoffice.hold_refunds"
QUEUE = "refunds"

PARKED_SECONDS = 7 * 86_400.0
"""Then a job asks again whether it may go on. Nobody pauses for so long; whoever does loses nothing."""

PAUSED = "its refunds are paused"
"""The reason in the job's row, for staff."""

CHUNK = 2_000
"""Jobs of one statement."""

PRIORITY = 2
"""Before all else in the database: thousands of jobs may begin meanwhile."""

# By job_ready where they are ready, by job_later where they wait for their time; and the primary key of refunds.
JOBS_OF_CANCELLATION = """
    SELECT job.id FROM jobs_job AS job JOIN boxoffice_refund AS refund ON refund.id = (job.args->>'refund_id')::bigint
     WHERE job.queue = %(queue)s AND job.task = %(task)s AND job.state = 'waiting' AND job.gate = %(gate)s
       AND refund.cancellation_id = %(cancellation)s
     ORDER BY job.id
"""


def hold_refunds(*, cancellation_id: int) -> int:
    """Set the waiting jobs aside while the cancellation is paused, or let them go while it is not; returns how many.

    Commits chunk by chunk, and looks each time how the cancellation stands: pressed the other way meanwhile, it turns.
    """
    moved, paused_before, left = 0, None, list[int]()
    while True:
        paused = Cancellation.objects.filter(pk=cancellation_id).exclude(pause="").exists()
        if paused != paused_before:
            left, paused_before = _jobs(cancellation_id, gate="ready" if paused else "later"), paused
        if not left:
            return moved
        chunk, left = left[:CHUNK], left[CHUNK:]
        if paused:
            moved += park(job_ids=chunk, seconds=PARKED_SECONDS, reason=PAUSED)
        else:
            moved += let_go(job_ids=chunk, queue=QUEUE)


def ask_to_hold_or_let_go(*, cancellation_id: int, show_id: int) -> None:
    """Have a job do that. Part of the transaction that pauses or resumes. One query."""
    enqueue(
        task=TASK,
        args={"cancellation_id": cancellation_id},
        subject=subject_of(show_id=show_id),
        priority=PRIORITY,
    )


def _jobs(cancellation_id: int, *, gate: str) -> list[int]:
    with connection.cursor() as cursor:
        values: dict[str, Any] = {"queue": QUEUE, "task": SENDING, "gate": gate, "cancellation": cancellation_id}
        cursor.execute(JOBS_OF_CANCELLATION, values)
        return [job_id for (job_id,) in cursor.fetchall()]
