"""The slow way, to compare with: a web request runs the jobs that its commit has made due, before it answers.

The ledger is used as ever. The rows are enqueued in the transaction of the business change; once that has committed
(I12), this thread hands them out to itself instead of to the broker, and runs them as a worker does. So whatever fails
here has undone nothing and waits in the ledger for its next attempt, and what this process leaves behind when it dies
is found by the rescue. Relay and workers may run beside it: who claims a job first runs it.
"""

from __future__ import annotations

import os

from celery import current_app
from django.conf import settings
from django.db import connections, transaction

from jobs import transitions
from jobs.claim import current_claim
from jobs.flow.limits import read_limits
from jobs.session import is_lent, run

MOST_JOBS = 50
"""Jobs that one request runs at most; confirming an order leads to three."""

# What may start now, oldest first: ready, or on its way through the broker. Uses job_subject.
DUE_ABOUT = """
    SELECT id, task, queue, destination, state FROM jobs_job
    WHERE subject = %(subject)s AND NOT (subject = '') AND NOT (id = ANY(%(ran)s))
      AND (state = 'published' OR (state = 'waiting' AND gate = 'ready'))
    ORDER BY id
"""


def run_in_request(*, subject: str, using: str = "default") -> None:
    """Once the caller's transaction has committed, run the due jobs about ``subject`` (``order:ABC``) in this thread,
    and those that they enqueue in turn. Nothing where LEDGER_RUNS_IN_REQUEST is off, and nothing inside a job.

    Each job is run once at most; a retry is left to the workers, and so is what a pause or an open breaker holds back.
    Nothing is raised: what was committed stands.
    """
    if settings.LEDGER_RUNS_IN_REQUEST and current_claim() is None:
        transaction.on_commit(lambda: _run_all(subject, using), using=using, robust=True)


def _run_all(subject: str, using: str) -> None:
    ran: list[int] = []
    current_app.loader.import_default_modules()
    try:
        while len(ran) < MOST_JOBS and (due := _next(subject, ran, using)):
            job_id, task, state = due
            ran.append(job_id)
            if state == "published" or transitions.hand_out(using=using, job_id=job_id):
                _run(job_id, task, using)
    finally:
        if not is_lent(using):
            connections[using].close()  # an engine session commits asynchronously, which a web request must not


def _next(subject: str, ran: list[int], using: str) -> tuple[int, str, str] | None:
    limits = read_limits(using=using)
    for job_id, task, queue, destination, state in run(using, DUE_ABOUT, {"subject": subject, "ran": ran}):
        if queue not in limits.paused_queues and limits.at_destination.get(destination, 1) > 0:
            return job_id, task, state
    return None


def _run(job_id: int, task_name: str, using: str) -> None:
    from jobs.worker.execution import run_job  # the worker's code, which a web process otherwise does without

    task = current_app.tasks[task_name]
    task.push_request()
    try:
        run_job(task, job_id=job_id, using=using, worker=f"web request pid {os.getpid()}")
    finally:
        task.pop_request()
