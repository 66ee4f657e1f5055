"""Expired sessions go, those in use stay."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.contrib.sessions.models import Session

from boxoffice import prune_sessions as pruning
from boxoffice.prune_sessions import LATE_HOURS, prune_sessions
from jobs.batches import BATCH
from jobs.clock import database_now
from jobs.queues import queue_named
from jobs.wakeup import plain_connection
from tests.fixtures_clock import Clock

pytestmark = pytest.mark.django_db(transaction=True)


def session(key: str, *, ended: timedelta) -> datetime:
    at = database_now() - ended
    Session.objects.create(session_key=key, session_data="", expire_date=at)
    return at


def left() -> set[str]:
    return set(Session.objects.values_list("session_key", flat=True))


def test_sessions_that_have_expired_go_and_the_others_stay() -> None:
    session("long ago", ended=timedelta(days=30))
    session("a moment ago", ended=timedelta(hours=LATE_HOURS, seconds=-60))
    session("in use", ended=timedelta(days=-14))
    assert prune_sessions() == 1
    assert left() == {"a moment ago", "in use"}
    assert prune_sessions() == 0


def test_the_databases_clock_decides(clock: Clock) -> None:
    session("in use", ended=timedelta(days=-14))
    clock.advance(timedelta(days=15))
    assert prune_sessions() == 1


def test_a_session_that_is_being_used_again_is_passed_over() -> None:
    session("revived", ended=timedelta(days=1))
    session("forgotten", ended=timedelta(days=1))
    with plain_connection("default") as other, other.transaction():
        other.execute("UPDATE django_session SET expire_date = now() + interval '1 day' WHERE session_key = 'revived'")
        assert prune_sessions() == 1
    assert left() == {"revived"}


def test_sessions_go_in_batches_until_none_is_left_or_the_time_is_over() -> None:
    at = database_now() - timedelta(days=1)
    Session.objects.bulk_create(
        Session(session_key=f"{number}", session_data="", expire_date=at) for number in range(BATCH + 1)
    )
    assert prune_sessions(seconds=0) == 0
    assert prune_sessions() == BATCH + 1
    assert left() == set()


def test_a_night_ends_well_before_its_time_limit() -> None:
    assert queue_named("default").soft_limit_seconds / 2 > pruning.LONGEST_SECONDS
