"""What can go wrong with a job, and what its failure means for the next attempt."""

from __future__ import annotations


class JobsError(Exception):
    """The ledger refused; the message says what to do."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message or (self.__doc__ or "").strip())


class NotInTransaction(JobsError):
    """Enqueue inside the transaction of the change that causes the job, so that both exist or neither does."""


class UnknownTask(JobsError):
    """No such task: list it in the task table of config/routes.py."""


class UnknownEvent(JobsError):
    """No such event: list it in the event table of config/routes.py."""


class RecordedTwice(JobsError):
    """A job records once: put all that it writes into one `with record()` block."""


class LeaseLost(JobsError):
    """This worker no longer holds the job's lease; another one runs it, and nothing of this run was written."""


class UnfitSchedule(JobsError):
    """No job can be made of this periodic task; correct it on its page."""


class BrokerUnavailable(JobsError):
    """The broker did not take the messages; they stay in the ledger and go out when it is back."""


class ReasonMissing(JobsError):
    """Say who does this and why: both are kept in the audit trail."""


class NotDead(JobsError):
    """The job is not dead any more, or was replayed meanwhile; nothing was changed. Look at it again."""


class NotChangeable(JobsError):
    """The job is not in a state for that any more; nothing was changed. Look at it again."""


class NotCancellable(NotChangeable):
    """The job has ended, or was replayed meanwhile; nothing was changed. Look at it again."""


class NotRunnableNow(NotChangeable):
    """The job does not wait for its time; nothing was changed. Look at it again."""


class PriorityNotChangeable(NotChangeable):
    """Only a waiting job can be given another priority, from 0 to 9; nothing was changed. Look at it again."""


class UnknownTarget(JobsError):
    """There is no queue or destination of this name."""


class Overloaded(JobsError):
    """So much waits already that new work would come late. Try again after ``retry_after`` seconds."""

    def __init__(self, message: str = "", *, retry_after: int = 1) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class DoesNotFit(JobsError):
    """The task of today cannot run this job; nothing was changed. Deploy the code that can, or discard the job."""


class ReplayRefused(JobsError):
    """The task's on_replay failed; nothing was changed. Mend what it names, then replay again."""


class TransientError(JobsError):
    """It may heal by itself: the job is tried again later."""


class RetryRequested(TransientError):
    """The task asked to be tried again."""

    def __init__(self, message: str = "", *, delay_seconds: float | None = None) -> None:
        super().__init__(message)
        self.delay_seconds = delay_seconds


class LockTaken(TransientError):
    """Somebody else holds this lock; nothing was done. Let him, or come again when it is over."""


class LockLost(TransientError):
    """The time of this lock is over, and somebody else may hold it; nothing of this block was written."""


class PermanentError(JobsError):
    """It cannot heal by waiting: the job is dead until somebody mends the cause and replays it."""


class RateLimited(JobsError):
    """The provider asks for patience: the job is postponed and no attempt is used up."""

    def __init__(self, message: str = "", *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after
