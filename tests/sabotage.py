"""Ways to break the engine on purpose, in processes of the chaos run that have the variable ``SABOTAGE``.

A harness that cannot fail proves nothing: each of these must turn its lines red. ``docs/chaos.md`` says which.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any


def _no_token() -> None:
    """``done`` is written without a look at the fencing token."""
    from jobs import transitions

    transitions.DONE = transitions.DONE.replace("AND token = %(token)s AND state = 'running'", "AND %(token)s > 0")


def _no_rescue_of_runs() -> None:
    """Nobody looks for runs whose worker is gone."""
    from jobs.relay import loop as relay

    relay.rescue_runs = lambda **_: 0  # type: ignore[assignment]


def _no_rescue_of_messages() -> None:
    """Nobody looks for published jobs without a message."""
    from jobs.relay import loop as relay

    relay.rescue_messages = lambda **_: 0  # type: ignore[assignment]


def _claim_anything() -> None:
    """A message starts a run whatever the row says, so that a late or repeated one repeats the job."""
    from jobs import transitions

    transitions.CLAIM = transitions.CLAIM.replace("AND state = 'published'", "")


def _effects_before_done() -> None:
    """The effects commit first and ``done`` afterwards, in a transaction of its own."""
    from contextlib import contextmanager

    from django.db import transaction

    from jobs import transitions
    from jobs.claim import current_claim
    from tests.probe import tasks

    @contextmanager
    def record() -> Any:
        claim = current_claim()
        assert claim is not None
        with transaction.atomic():
            yield
        transitions.mark_done(using=claim.using, job_id=claim.job_id, token=claim.token)
        claim.note_recorded()

    tasks.record = record  # type: ignore[assignment]


def _enqueue_after_commit() -> None:
    """The web commits the purchase and enqueues afterwards: the dual write."""
    from django.db import transaction

    from tests.probe import views

    enqueue: Callable[..., int] = views.enqueue

    def enqueue_later(**job: Any) -> None:
        def now() -> None:
            with transaction.atomic():
                enqueue(**job)

        transaction.on_commit(now)

    views.enqueue = enqueue_later  # type: ignore[assignment]


def _web_commits_later() -> None:
    """The web answers before its commit is in PostgreSQL's log, as relay and workers may."""
    from django.db import connection

    from tests.probe import views

    insert = views.insert

    def insert_carelessly(key: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL synchronous_commit TO off")
        insert(key)

    views.insert = insert_carelessly


def _new_key_each_attempt() -> None:
    """Each attempt tells the provider another idempotency key."""
    from jobs.claim import current_claim
    from tests.probe import tasks

    tasks.idempotency_key = lambda: str(current_claim())


def _advance_before_the_run() -> None:
    """The schedule's advance commits before its run is written, as where a scheduler first notes that it ran."""
    from django.db import connection

    from jobs.schedules import fire

    enqueue_run = fire._enqueue_run

    def commit_and_enqueue(*run: Any) -> int | None:
        connection.connection.commit()
        return enqueue_run(*run)

    fire._enqueue_run = commit_and_enqueue


def _no_claim_of_due_times() -> None:
    """Runs are noted, but a due time may have any number of them."""
    from jobs.schedules import fire

    fire.CLAIM = fire.CLAIM.replace("%(due)s", "%(due)s + random() * interval '1 millisecond'")


SABOTAGES: dict[str, Callable[[], None]] = {
    "no-token": _no_token,
    "no-rescue-of-runs": _no_rescue_of_runs,
    "no-rescue-of-messages": _no_rescue_of_messages,
    "claim-anything": _claim_anything,
    "effects-before-done": _effects_before_done,
    "enqueue-after-commit": _enqueue_after_commit,
    "web-commits-later": _web_commits_later,
    "new-key-each-attempt": _new_key_each_attempt,
    "advance-before-the-run": _advance_before_the_run,
    "no-claim-of-due-times": _no_claim_of_due_times,
}


def commit() -> None:
    """Break what ``SABOTAGE`` names; nothing without it."""
    name = os.environ.get("SABOTAGE")
    if name:
        SABOTAGES[name]()
