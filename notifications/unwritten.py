"""A message that could not even be written."""

from __future__ import annotations

from django.db import DatabaseError

from jobs.errors import JobsError
from notifications import transitions


def note_unwritten(*, notification_id: int, error: Exception) -> None:
    """Count the attempt and keep in the row why it failed, for staff. One statement outside any transaction.

    The text of an error that is not ours may name people: only its class is kept. Nothing is noted of a database that
    does not answer, since there is nowhere to note it.
    """
    if isinstance(error, DatabaseError):
        return
    words = str(error) if isinstance(error, JobsError) else f"It could not be written ({type(error).__name__})."
    transitions.note_unwritten(notification_id=notification_id, error=words)
