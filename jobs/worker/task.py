"""The class of every task: Celery carries the message, the ledger decides what it means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from celery import Task
from celery.exceptions import Reject
from django.conf import settings

from jobs.errors import RetryRequested
from jobs.failures.retry import Policy
from jobs.queues import all_queues
from jobs.worker.execution import Outcome, run_job
from jobs.worker.outside import worker_name
from jobs.worker.thread_pool import own_runner
from jobs.worker.time_limit import limit_counts


class LedgerTask(Task):
    """A task whose runs are claims on ledger rows.

    It is declared with Celery's own options (``acks_late``, ``autoretry_for``, ``retry_backoff``,
    ``retry_backoff_max``, ``retry_jitter``, ``max_retries``); they become ledger rows instead of ETA messages, so
    that no retry lives in a worker's memory (I7). Two options are ours:

    on_dead: dotted path of a function that gets the job's arguments in the transaction that marks the job dead.
    on_replay: its inverse, in the transaction that replays the job; if it raises, nothing is replayed.
    has_call: False for a job that only touches the database. Its claim may be lost with a crash of PostgreSQL,
        since its effects are then lost too; the claim before a call to a provider may not.
    sheddable: True for a job whose loss nobody would notice, since a later one makes up for it. Only such tasks may
        stand in a queue that drops work under load.
    """

    abstract = True
    Request = "jobs.worker.request:LedgerRequest"
    acks_late = True
    ignore_result = True
    max_retries = 19
    retry_backoff = 1
    retry_backoff_max = 300
    retry_jitter = True
    autoretry_for: tuple[type[BaseException], ...] = ()
    on_dead: str | None = None
    on_replay: str | None = None
    has_call: bool = True
    sheddable: bool = False

    @classmethod
    def on_bound(cls, app: Any) -> None:
        """Take the time limits of the task's queue. One that no table lists is for the start-up checks to tell."""
        named = {queue.name: queue for queue in all_queues()}
        queue = named.get(settings.LEDGER_TASKS.get(cls.name, ""))
        if queue is not None:
            cls.soft_time_limit, cls.time_limit = queue.soft_limit_seconds, queue.hard_limit_seconds

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        """Run the job that a message names: ``(job id, database)``.

        Leaves normally to acknowledge, whatever the outcome was, and with Reject for a dead job, whose message
        thereby passes through the dead-letter exchange. Nothing else leaves but the order to stop that ends this
        process: an exception with several constructor arguments pickles but does not unpickle, and would stop the
        worker.
        """
        job_id, using = args
        worker = worker_name(hostname=self.request.hostname, pid=own_runner())
        with limit_counts():
            outcome = run_job(self, job_id=job_id, using=using, worker=worker)
        if outcome is Outcome.DEAD:
            raise Reject(reason="dead", requeue=False)

    def body(self, **kwargs: Any) -> None:
        """The task's own function, without Celery's retry wrapper, which would publish ETA messages."""
        function: Callable[..., None] = getattr(self, "_orig_run", None) or self.run
        function(**kwargs)

    def policy(self) -> Policy:
        """The task's retry options as the ledger's policy takes them."""
        return Policy(
            max_retries=self.max_retries,
            backoff=float(self.retry_backoff),
            backoff_max=float(self.retry_backoff_max),
            jitter=bool(self.retry_jitter),
        )

    def retry(self, args: Any = None, kwargs: Any = None, exc: BaseException | None = None, **options: Any) -> NoReturn:
        """Ask for another attempt, after ``countdown`` seconds if given. Only raises; the ledger does the rest."""
        message = f"{type(exc).__name__}: {exc}" if exc else ""
        raise RetryRequested(message, delay_seconds=options.get("countdown")) from exc
