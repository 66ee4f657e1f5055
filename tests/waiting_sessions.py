"""Two sessions of which one waits for the other: in threads, since a session waits in its own."""

from __future__ import annotations

from collections.abc import Callable

from django.db import connection

WAITING_FOR_US = "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"


def somebody_waits_for_us() -> bool:
    """Another session waits for a lock of this one's transaction."""
    with connection.cursor() as cursor:
        cursor.execute(WAITING_FOR_US)
        return bool(cursor.fetchone()[0])


def run_and_close(call: Callable[[], object], into: list[object] | None = None) -> None:
    """For a thread: call it in a session of its own. What it returns or raises is put ``into`` the list."""
    outcome: object
    try:
        outcome = call()
    except Exception as error:  # the outcome is what the test asks for
        outcome = error
    finally:
        connection.close()
    if into is not None:
        into.append(outcome)
