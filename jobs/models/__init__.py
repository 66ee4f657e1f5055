"""The ledger's tables. Their states change in ``transitions.py`` only."""

from jobs.models.dead_letter import DeadLetter
from jobs.models.dead_run import DeadRun
from jobs.models.flow import Allowance, Breaker, Heartbeat, Pause, QueueLoad
from jobs.models.history import JobHistory
from jobs.models.job import DeadJob, DedupKey, Job
from jobs.models.lease import Lease
from jobs.models.schedule import Schedule, ScheduledRun
from jobs.models.staff_action import StaffAction

__all__ = [
    "Allowance",
    "Breaker",
    "DeadJob",
    "DeadLetter",
    "DeadRun",
    "DedupKey",
    "Heartbeat",
    "Job",
    "JobHistory",
    "Lease",
    "Pause",
    "QueueLoad",
    "Schedule",
    "ScheduledRun",
    "StaffAction",
]
