"""The ledger's tables. Their states change in ``transitions.py`` only."""

from jobs.models.dead_letter import DeadLetter
from jobs.models.flow import Breaker, Heartbeat, Pause, QueueLoad
from jobs.models.history import JobHistory
from jobs.models.job import DeadJob, DedupKey, Job
from jobs.models.staff_action import StaffAction

__all__ = [
    "Breaker",
    "DeadJob",
    "DeadLetter",
    "DedupKey",
    "Heartbeat",
    "Job",
    "JobHistory",
    "Pause",
    "QueueLoad",
    "StaffAction",
]
