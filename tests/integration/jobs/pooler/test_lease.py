"""A lease behind a pooler needs nothing that outlives a transaction."""

from __future__ import annotations

import pytest
from django.db import connection, transaction

from jobs.errors import LockTaken
from jobs.lease import exclusive
from tests.ledger import real_commits
from tests.pgbouncer import SESSIONS, PgBouncer
from tests.probe.models import Mark

pytestmark = real_commits

LIMITS = "SELECT current_setting('synchronous_commit'), current_setting('idle_in_transaction_session_timeout')"


def settings_of_all_sessions() -> set[tuple[str, str]]:
    with connection.cursor() as cursor:
        found = set()
        for _ in range(2 * SESSIONS):  # it lends them in turn
            cursor.execute(LIMITS)
            found.add(cursor.fetchone())
        return found


def test_a_lock_is_kept_through_sessions_that_change_and_leaves_nothing_in_them(behind_the_pooler: PgBouncer) -> None:
    before = settings_of_all_sessions()
    for number in range(2 * SESSIONS):
        with exclusive("a", at_most=60) as lock:
            with pytest.raises(LockTaken), exclusive("a", at_most=60):
                pytest.fail("the block ran")
            lock.renew(seconds=60)
            with transaction.atomic():
                lock.prove()
                Mark.objects.create(key=f"{number}")
        assert lock.token == number + 1
    assert settings_of_all_sessions() == before
