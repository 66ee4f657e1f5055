"""A beat behind a pooler, where the time limits are the role's, and made for workers."""

from __future__ import annotations

from django.db import connection, transaction

from jobs.schedules.limits import limit_transaction
from tests.integration.jobs.pooler.conftest import LOCK
from tests.ledger import real_commits
from tests.pgbouncer import SESSIONS, PgBouncer

pytestmark = real_commits


def lock_timeout() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('lock_timeout')")
        return str(cursor.fetchone()[0])


def test_a_row_that_somebody_holds_keeps_a_beat_for_less_than_its_lease_whatever_the_role_says(
    behind_the_pooler: PgBouncer,
) -> None:
    for _ in range(2 * SESSIONS):  # it lends them in turn
        with transaction.atomic():
            limit_transaction()
            assert lock_timeout() == "2s"
        assert lock_timeout() == LOCK
