"""What the engine counts, for Prometheus. Labels are names from tables, never ids, addresses or persons.

Each process counts for itself; ``jobs/scrape/`` adds them up, and says of the ledger what no process counts. The page
of all of them is ``docs/metrics.md``.
"""

from __future__ import annotations

from prometheus_client import Counter, Gauge, Histogram

from jobs.queues import Queue

WAIT_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600)
RUN_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 45, 60)

PUBLISHED = Counter("jobs_published_total", "Messages that the broker took.", ["queue"])
REFUSED = Counter("jobs_refused_total", "Messages that went back to the ledger.", ["queue", "reason"])
UNUSABLE = Gauge(
    "jobs_queue_unusable",
    "1 while something else stands at the broker under its name.",
    ["queue"],
    multiprocess_mode="livemax",
)
RESCUED = Counter("jobs_rescued_total", "Jobs that the rescue returned to the waiting ones.", ["reason"])
SKIPPED = Counter("jobs_skipped_total", "Messages for a job that is not published: duplicates, mostly.", ["reason"])
WAIT_SECONDS = Histogram(
    "jobs_wait_seconds", "From the time a job was due to its start.", ["queue"], buckets=WAIT_BUCKETS
)
STARTED_LATE = Counter("jobs_started_late_total", "Jobs that started after their queue's promise.", ["queue"])
RUN_SECONDS = Histogram("jobs_run_seconds", "From claim to outcome.", ["task"], buckets=RUN_BUCKETS)
DONE = Counter("jobs_done_total", "Jobs that ended well.", ["task"])
RETRIED = Counter("jobs_retried_total", "Attempts that failed and may heal.", ["task"])
POSTPONED = Counter("jobs_postponed_total", "Postponements without a used attempt.", ["task"])
HANDED_BACK = Counter("jobs_handed_back_total", "Runs that a worker gave back since it was told to stop.", ["task"])
DEAD = Counter("jobs_dead_total", "Jobs that died.", ["task", "reason"])
LEASES_LOST = Counter("jobs_leases_lost_total", "Runs whose lease somebody else had taken.", ["task"])
RETIRED = Counter("jobs_retired_total", "Ended jobs that moved to the history.")
DEAD_LETTERS = Counter("jobs_dead_letters_total", "Messages that the ledger does not know.", ["reason"])
SHED = Counter("jobs_shed_total", "Waiting jobs that a sheddable queue dropped.", ["queue", "reason"])
REFUSED_AT_THE_EDGE = Counter(
    "jobs_refused_at_the_edge_total", "Requests that would have added to a queue that is behind.", ["queue"]
)
BREAKER_OPENED = Counter("jobs_breaker_opened_total", "Times that a provider was taken for away.", ["destination"])
BREAKER_CLOSED = Counter("jobs_breaker_closed_total", "Times that a provider was taken for back.", ["destination"])
HELD_BACK = Counter("jobs_held_back_total", "Published jobs that a pause or a breaker took back.", ["reason"])
SCHEDULED = Counter("jobs_scheduled_total", "Jobs that a beat enqueued.", ["schedule"])
SCHEDULE_SKIPPED = Counter(
    "jobs_schedule_skipped_total", "Due times at which no beat ran, and that were passed over.", ["schedule"]
)


def note_start(*, queue: Queue, waited_seconds: float) -> None:
    """A job of ``queue`` starts, so long after it was due."""
    WAIT_SECONDS.labels(queue=queue.name).observe(max(waited_seconds, 0.0))
    if waited_seconds > queue.promise_seconds:
        STARTED_LATE.labels(queue=queue.name).inc()
