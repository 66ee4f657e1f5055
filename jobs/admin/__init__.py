"""The ledger in the admin: rows to look at, and what may be done to them by hand.

Rows of the machinery are read-only. Whatever staff change, a service changes; the pages here show, ask and call it.
"""

from jobs.admin.dead_jobs import DeadJobAdmin
from jobs.admin.dead_letters import DeadLetterAdmin
from jobs.admin.jobs import JobAdmin
from jobs.admin.read_only import ReadOnlyAdmin
from jobs.admin.removed_jobs import RemovedJobAdmin
from jobs.admin.schedules import ScheduleAdmin
from jobs.admin.timings import TimingAdmin
from jobs.admin.work import WorkAdmin

__all__ = [
    "DeadJobAdmin",
    "DeadLetterAdmin",
    "JobAdmin",
    "ReadOnlyAdmin",
    "RemovedJobAdmin",
    "ScheduleAdmin",
    "TimingAdmin",
    "WorkAdmin",
]
