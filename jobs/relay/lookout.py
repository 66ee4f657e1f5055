"""In place of the bell, where a pooler lets no NOTIFY through: looking whether anybody has enqueued.

The relay's whole look at its queues costs as much as twenty of these, and stays as rare as it is beside the bell. What
is not new (a retry that is due, a message that was lost) it finds by that look alone, and so does a job whose number
was drawn before another's and committed after it.
"""

from __future__ import annotations

import time

from jobs.session import run

PEEK_SECONDS = 0.1
"""How often it looks: a job waits half of it on average."""

# The newest job. Uses the primary key from its end.
NEWEST = "SELECT max(id) FROM jobs_job"


class Lookout:
    """Watches the ledger of one database."""

    def __init__(self, *, using: str) -> None:
        self._using = using
        self._newest: int | None = None

    def wait(self, seconds: float) -> bool:
        """Wait until a job was enqueued since the last wait ended, at most for so long; say whether one was."""
        deadline = time.monotonic() + seconds
        while True:
            ((newest,),) = run(self._using, NEWEST, {})
            if newest != self._newest:
                self._newest = newest
                return True
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(PEEK_SECONDS, left))
