"""The ledger in the admin: rows to look at, and what may be done to those that wait for a human.

Rows of the machinery are read-only. Replay and discard are services; the pages here show, ask and call them.
"""

from jobs.admin.dead_jobs import DeadJobAdmin
from jobs.admin.dead_letters import DeadLetterAdmin
from jobs.admin.jobs import JobAdmin
from jobs.admin.read_only import ReadOnlyAdmin

__all__ = ["DeadJobAdmin", "DeadLetterAdmin", "JobAdmin", "ReadOnlyAdmin"]
