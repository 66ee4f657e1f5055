"""What the engine counts, for Prometheus. Labels are names from tables, never ids or addresses."""

from __future__ import annotations

from prometheus_client import Counter, Gauge, Histogram

PUBLISHED = Counter("jobs_published_total", "Messages that the broker took.", ["queue"])
REFUSED = Counter("jobs_refused_total", "Messages that went back to the ledger.", ["queue", "reason"])
UNUSABLE = Gauge("jobs_queue_unusable", "1 while something else stands at the broker under its name.", ["queue"])
RESCUED = Counter("jobs_rescued_total", "Jobs that the rescue returned to the waiting ones.", ["reason"])
SKIPPED = Counter("jobs_skipped_total", "Messages for a job that is not published (I5).", ["reason"])
DONE = Counter("jobs_done_total", "Jobs that ended well.", ["task"])
RETRIED = Counter("jobs_retried_total", "Attempts that failed and may heal.", ["task"])
POSTPONED = Counter("jobs_postponed_total", "Postponements without a used attempt.", ["task"])
DEAD = Counter("jobs_dead_total", "Jobs that died.", ["task", "reason"])
LEASES_LOST = Counter("jobs_leases_lost_total", "Runs whose lease somebody else had taken.", ["task"])
RETIRED = Counter("jobs_retired_total", "Ended jobs that moved to the history.")
DEAD_LETTERS = Counter("jobs_dead_letters_total", "Messages that the ledger does not know.", ["reason"])
SHED = Counter("jobs_shed_total", "Waiting jobs that a sheddable queue dropped.", ["queue", "reason"])
REFUSED_AT_THE_EDGE = Counter(
    "jobs_refused_at_the_edge_total", "Requests that would have added to a queue that is behind.", ["queue"]
)
RUN_SECONDS = Histogram("jobs_run_seconds", "From claim to outcome.", ["task"])
BREAKER_OPENED = Counter("jobs_breaker_opened_total", "Times that a provider was taken for away.", ["destination"])
BREAKER_CLOSED = Counter("jobs_breaker_closed_total", "Times that a provider was taken for back.", ["destination"])
HELD_BACK = Counter("jobs_held_back_total", "Published jobs that a pause or a breaker took back.", ["reason"])
