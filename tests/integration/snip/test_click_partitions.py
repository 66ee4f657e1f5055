"""The partitions of the clicks that were counted: there before they are needed, and gone when nothing needs them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection

from jobs.clock import database_now
from jobs.wakeup import plain_connection
from snip.counter import partitions
from snip.counter.partitions import (
    HOUR,
    drop_expired_partitions,
    hour_of,
    hours_with_partition,
    make_partition,
    make_partitions_ahead,
)
from snip.models import ProcessedClick
from snip.uuid7 import first_uuid7
from tests.fixtures_clock import Clock
from tests.ledger import real_commits

pytestmark = [real_commits, pytest.mark.usefixtures("no_click_partitions")]


def test_the_partitions_of_the_next_hours_are_made_once() -> None:
    now = hour_of(database_now())

    assert make_partitions_ahead() == [now, now + HOUR, now + 2 * HOUR]
    assert make_partitions_ahead() == []


def test_each_click_is_in_the_partition_of_its_hour() -> None:
    now = hour_of(database_now())
    make_partitions_ahead()
    last = first_uuid7(now + HOUR - timedelta(milliseconds=1))
    ProcessedClick.objects.create(id=last)
    ProcessedClick.objects.create(id=first_uuid7(now + HOUR))

    with connection.cursor() as cursor:
        cursor.execute(f"SELECT id FROM snip_processedclick_{now:%Y_%m_%d_%H}")
        assert cursor.fetchall() == [(last,)]


def test_a_partition_goes_an_hour_after_its_last_click_could_be_counted_and_never_comes_back(clock: Clock) -> None:
    hour = hour_of(database_now())
    clock.stand_still(at=hour)
    make_partition(hour=hour)
    clock.stand_still(at=hour + 50 * HOUR - timedelta(seconds=1))
    assert drop_expired_partitions() == []

    clock.stand_still(at=hour + 50 * HOUR)
    assert drop_expired_partitions() == [hour]

    assert not make_partition(hour=hour)
    assert hours_with_partition() == set()


def test_an_hour_in_which_no_counter_ran_gets_its_partition_later() -> None:
    hour = hour_of(database_now()) - 47 * HOUR

    assert make_partition(hour=hour)
    assert not make_partition(hour=hour)


def test_a_partition_that_somebody_reads_stays_and_goes_the_next_time(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partitions, "PATIENCE", "100ms")
    hour = hour_of(database_now())
    make_partition(hour=hour)
    clock.advance(timedelta(hours=60))
    make_partitions_ahead()
    with plain_connection("default") as reader, reader.transaction():
        reader.execute("SELECT count(*) FROM snip_processedclick")
        assert drop_expired_partitions() == []
        ProcessedClick.objects.create(id=first_uuid7(database_now()))  # who counts meanwhile does not wait

    assert drop_expired_partitions() == [hour]
    assert ProcessedClick.objects.count() == 1


def test_the_time_limit_of_the_session_is_as_before(clock: Clock) -> None:
    make_partitions_ahead()
    clock.advance(timedelta(hours=60))
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '7s'")
        assert len(drop_expired_partitions()) == 3
        cursor.execute("SHOW lock_timeout")
        assert cursor.fetchone() == ("7s",)
        cursor.execute("RESET lock_timeout")
