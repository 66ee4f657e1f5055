"""How long a beat's transaction may take, stand still, or wait for somebody else's lock: all well below its lease.

A beat that stands still in a transaction keeps the others from the lease, and one that waits for a lock, everybody from
his runs. Commits are synchronous: see the rules of the engine.
"""

from __future__ import annotations

from jobs.pooler import is_pooled
from jobs.session import run

LIMITS = """
    SELECT set_config('idle_in_transaction_session_timeout', '4s', %(local)s),
           set_config('lock_timeout', '2s', %(local)s), set_config('statement_timeout', '10s', %(local)s)
"""


def limit_session() -> None:
    """Limit this session, which must be ours."""
    run("default", LIMITS, {"local": False})


def limit_transaction() -> None:
    """Limit the caller's transaction where its session is a pooler's. One query there, none otherwise.

    The limits that the role brings along there are made for workers, and may be longer than a beat's lease.
    """
    if is_pooled("default"):
        run("default", LIMITS, {"local": True})
