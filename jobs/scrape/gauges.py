"""What the ledger says when it is asked, by name."""

from __future__ import annotations

GAUGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "jobs_ledger_up": ("1 while the database answers.", ()),
    "jobs_load_stale": ("1 while no relay has measured the queues for 15 s.", ()),
    "jobs_oldest_due_seconds": ("How long the oldest job has been due that has not started.", ("queue",)),
    "jobs_promise_seconds": ("The age within which a queue's due jobs start.", ("queue",)),
    "jobs_in_state": ("Jobs, counted up to 50,000 or 10,000; done ones are not counted.", ("queue", "state")),
    "jobs_drain_per_second": ("Jobs that a queue's workers start each second while there are any.", ("queue",)),
    "jobs_workers": ("Live workers of a pool.", ("pool",)),
    "jobs_queue_workers": ("Live workers that consume a queue.", ("queue",)),
    "jobs_queue_processes": ("Processes of the live workers that consume a queue.", ("queue",)),
    "jobs_relays": ("Live relays.", ()),
    "jobs_paused": ("1 for each queue or destination that somebody has paused.", ("kind", "name")),
    "jobs_breaker": ("1 for the state that a destination's breaker is in, 0 for the others.", ("destination", "state")),
    "jobs_dead_letters_kept": ("Messages that nobody knew and nobody has discarded.", ()),
}
"""Name: help, labels. Each has the label ``database`` as well."""
