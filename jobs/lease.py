"""Leases: who may do what only one process should do at a time.

    free ──take (token + 1)──▶ held ──release──▶ free (after at_least)
                               │  ▲
                               └──┘ renew, by its own token
    held ──its time is over──▶ free for the next, though its owner may not know

A lease is an optimisation: it keeps two processes from doing the same work. It cannot keep a process that was paused
from waking up after its time and going on; nothing outside the write itself can. So whatever must not happen twice is
idempotent, or asks here: ``prove`` checks the fencing token in the transaction of the protected write, and until that
transaction ends nobody else can take the lease (I10). The story is told in ``docs/locks.md``.

Time is the database's. A token belongs to one taking, not to a process, and of one name it only grows. A lease protects
what lies in its own database: a shard's rows by the shard's lease.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import structlog
from django.db import Error, connections
from django.db.transaction import TransactionManagementError

from jobs.errors import LockLost, LockTaken, NotInTransaction
from jobs.session import count, drop_broken_connections, longest_idle_seconds, run

log = structlog.get_logger(__name__)

# One statement, which waits for nobody: a lease whose row is locked is being proved, renewed or taken. Only at the
# first use of a name does the second of two takers wait for the first one's commit. It commits synchronously also where
# the engine does not, since a token that was handed out must never be handed out again. A lease that was taken a minute
# from now is free: the clock was set back, and it would be held for as long as that. Uses the primary key.
TAKE = """
    WITH mine AS (SELECT set_config('synchronous_commit', 'on', true)),
    free AS (
        SELECT name FROM jobs_lease, mine
         WHERE name = %(name)s AND (until <= jobs_now() OR renewed_at > jobs_now() + interval '1 minute')
           FOR NO KEY UPDATE OF jobs_lease SKIP LOCKED
    ),
    taken AS (
        UPDATE jobs_lease AS lease
           SET owner = %(owner)s, token = token + 1, until = jobs_now() + %(seconds)s * interval '1 second',
               taken_at = jobs_now(), renewed_at = jobs_now()
          FROM free WHERE lease.name = free.name
        RETURNING token
    ),
    made AS (
        INSERT INTO jobs_lease (name, owner, token, until, taken_at, renewed_at)
        SELECT %(name)s, %(owner)s, 1, jobs_now() + %(seconds)s * interval '1 second', jobs_now(), jobs_now() FROM mine
         WHERE NOT EXISTS (SELECT FROM jobs_lease WHERE name = %(name)s)
        ON CONFLICT (name) DO NOTHING
        RETURNING token
    )
    SELECT token FROM taken UNION ALL SELECT token FROM made
"""

# Not after its time: it may have been free in between. Uses the primary key.
RENEW = """
    UPDATE jobs_lease SET until = jobs_now() + %(seconds)s * interval '1 second', renewed_at = jobs_now()
     WHERE name = %(name)s AND token = %(token)s AND until > jobs_now()
"""

# Whoever would take the lease passes by as long as this transaction runs. So from here on PostgreSQL ends it, in
# whatever session, when it stands still for longer than %(idle)s seconds. Uses the primary key.
PROVE = """
    SELECT set_config('idle_in_transaction_session_timeout', greatest(1, 1000 * least(%(idle)s, nullif(
               extract(epoch FROM current_setting('idle_in_transaction_session_timeout')::interval)::float8, 0
           )))::bigint::text, true)
      FROM jobs_lease WHERE name = %(name)s AND token = %(token)s AND until > jobs_now() FOR SHARE
"""

# Also after its time, if nobody has taken it since; and at once where the clock was set back to before its taking.
# Uses the primary key.
RELEASE = """
    UPDATE jobs_lease
       SET until = least(until, greatest(jobs_now(), least(taken_at, jobs_now()) + %(at_least)s * interval '1 second'))
     WHERE name = %(name)s AND token = %(token)s
"""


@dataclass(frozen=True)
class Lease:
    """One taking of a name, for ``seconds``.

    ``token`` is its fencing token: what is written under it can be checked by it later.
    """

    name: str
    token: int
    seconds: float
    using: str = "default"

    def renew(self, *, seconds: float) -> None:
        """Hold it for ``seconds`` from now. One query, in a transaction of its own.

        Waits for a transaction in which it was proved. Raises LockLost, and TransactionManagementError inside a
        transaction, which might still be rolled back.
        """
        _refuse_inside_a_transaction(self.using)
        if not count(self.using, RENEW, {"name": self.name, "token": self.token, "seconds": seconds}):
            raise LockLost

    def prove(self) -> None:
        """Pass if it is still held, and keep it from others until this transaction ends. One query.

        Call it in the transaction of the protected write, first of all. From then on PostgreSQL ends the transaction
        when it stands still between two statements for as long as the lease was taken for, or for the engine's
        ``longest_idle_seconds`` if that is less: who is paused here holds up the next one for no longer. Raises
        LockLost, after which the caller rolls back, and NotInTransaction.
        """
        if not connections[self.using].in_atomic_block:
            raise NotInTransaction("Prove a lease inside the transaction of the write that it protects.")
        idle = min(float(self.seconds), longest_idle_seconds())
        if not run(self.using, PROVE, {"name": self.name, "token": self.token, "idle": idle}):
            raise LockLost

    def release(self, *, at_least: float = 0) -> None:
        """Let the next one have it, but not before ``at_least`` seconds after its taking. One query.

        Does nothing to a lease that somebody else has taken since.
        """
        count(self.using, RELEASE, {"name": self.name, "token": self.token, "at_least": at_least})


def take(*, name: str, seconds: float, using: str = "default") -> Lease | None:
    """Take the lease for ``seconds``, or None if somebody holds it. One query, in a transaction of its own.

    Raises TransactionManagementError inside a transaction: who is rolled back, or commits later, owns nothing. When the
    session is lost meanwhile (OperationalError) nobody knows whether it was taken: at worst it rests for ``seconds``.
    """
    _refuse_inside_a_transaction(using)
    for (token,) in run(using, TAKE, {"name": name, "owner": own_name(), "seconds": seconds}):
        return Lease(name=name, token=token, seconds=seconds, using=using)
    return None


@contextmanager
def exclusive(name: str, *, at_most: float, at_least: float = 0, using: str = "default") -> Iterator[Lease]:
    """Run the block in one process at a time, and hand it the lease whose ``prove`` protects its writes.

    at_most: seconds after which another one may start though this one has not ended; longer than the block takes, and
    no longer than the work may rest when its process dies. at_least: seconds from the start during which nobody else
    starts, however quickly the block ends: for the same run that two schedulers call for a moment apart.

    Raises LockTaken, before the block, when somebody else holds it; TransactionManagementError inside a transaction.
    """
    if not 0 <= at_least <= at_most or not at_most:
        raise ValueError(f"The lock {name} needs 0 <= at_least <= at_most, and an at_most above 0.")
    lease = take(name=name, seconds=at_most, using=using)
    if lease is None:
        raise LockTaken
    try:
        yield lease
    finally:
        _release(lease, at_least=at_least)


def _release(lease: Lease, *, at_least: float) -> None:
    """What cannot be released runs out by itself: the block's own outcome counts, not this."""
    try:
        drop_broken_connections([lease.using])  # the block may have lost its session, or left a transaction open
        lease.release(at_least=at_least)
    except Error as error:
        log.warning("lock_not_released", name=lease.name, error=type(error).__name__)


def _refuse_inside_a_transaction(using: str) -> None:
    if connections[using].in_atomic_block:
        raise TransactionManagementError("Take and renew a lease outside of any transaction: it must commit at once.")


def own_name() -> str:
    """Host and process, for people who read who holds a lease."""
    return f"{socket.gethostname()}:{os.getpid()}"
