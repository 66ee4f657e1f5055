"""The last step of a job: what it found out and the fact that it is done, in one transaction.

Guarantee (I3): the block's effects in the database happen once. They commit together with ``done``, and only while
the fencing token of this run is still the row's; a worker that was paused past its lease writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from jobs import transitions
from jobs.claim import current_claim, current_database
from jobs.errors import LeaseLost, RecordedTwice
from jobs.session import engine_session


@contextmanager
def record() -> Iterator[None]:
    """Open the job's only writing transaction, on ``current_database()``; at its end the job is done.

    Outside a job (a request, a shell, a test of the service) it is a plain transaction.
    Raises LeaseLost, after rolling back, when another worker has taken the job over, and RecordedTwice when the
    job has recorded already.
    """
    claim = current_claim()
    if claim is None:
        with transaction.atomic(using=current_database()):
            yield
        return
    if claim.recorded:
        raise RecordedTwice
    engine_session(claim.using)  # the body may have reconnected
    with transaction.atomic(using=claim.using, durable=True):
        # The first hook after the commit: if a later one raises, the job is done all the same.
        transaction.on_commit(claim.note_recorded, using=claim.using)
        yield
        if not transitions.mark_done(using=claim.using, job_id=claim.job_id, token=claim.token):
            raise LeaseLost
    claim.note_recorded()
