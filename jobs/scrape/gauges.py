"""What the ledger says when it is asked, by name."""

from __future__ import annotations

GAUGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "jobs_ledger_up": ("1 while the database answers.", ()),
    "jobs_load_stale": ("1 while no relay has measured the queues for 15 s.", ()),
    "jobs_oldest_due_seconds": ("How long the oldest job has been due that has not started.", ("queue",)),
    "jobs_oldest_due_by_destination_seconds": (
        "The same among the jobs that call one destination; an empty one for those that call nobody.",
        ("queue", "destination"),
    ),
    "jobs_promise_seconds": ("The age within which a queue's due jobs start.", ("queue",)),
    "jobs_in_state": ("Jobs, counted up to 50,000 or 10,000; done ones are not counted.", ("queue", "state")),
    "jobs_drain_per_second": ("Jobs that a queue's workers start each second while there are any.", ("queue",)),
    "jobs_workers": ("Live workers of a pool.", ("pool",)),
    "jobs_queue_workers": ("Live workers that consume a queue.", ("queue",)),
    "jobs_queue_processes": ("Processes, or threads, of the live workers that consume a queue.", ("queue",)),
    "jobs_relays": ("Live relays.", ()),
    "jobs_paused": ("1 for each queue or destination that somebody has paused.", ("kind", "name")),
    "jobs_breaker": ("1 for the state that a destination's breaker is in, 0 for the others.", ("destination", "state")),
    "jobs_scheduler_beats": ("Live beats; one of them ticks.", ()),
    "jobs_scheduler_tick_age_seconds": ("How long ago a beat ticked last; +Inf when none ever has.", ()),
    "jobs_schedule_late_seconds": ("How long a schedule's next run has been due; 0 when it is not.", ("schedule",)),
    "jobs_schedule_broken": ("1 for a schedule that cannot be enqueued as it stands.", ("schedule",)),
    "jobs_schedule_last_run_age_seconds": ("How long ago the last run was due.", ("schedule",)),
    "jobs_schedule_last_start_late_seconds": (
        "From the time that the last run was due to its start, or to now; until it is in the history.",
        ("schedule",),
    ),
    "jobs_schedule_last_run_dead": ("1 while the last run is dead.", ("schedule",)),
    "jobs_dead_letters_kept": ("Messages that nobody knew and nobody has discarded.", ()),
}
"""Name: help, labels. Each has the label ``database`` as well."""
