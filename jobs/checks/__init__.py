"""Start-up checks: settings with which the ledger could lose or repeat work, or stand still, stop the start.

Relay and workers run them each time they start, and so does every ``manage.py`` command. Each check is an id, one
sentence that says what would go wrong, and a hint that says what to set.
"""

from jobs.checks import broker, databases, destinations, in_request, queues, routes, schedule, start, tasks, worker

__all__ = [
    "broker",
    "databases",
    "destinations",
    "in_request",
    "queues",
    "routes",
    "schedule",
    "start",
    "tasks",
    "worker",
]
