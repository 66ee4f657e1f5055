"""Clicks are counted once, whatever dies, and whatever else is in their batch: real Redis, real PostgreSQL."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import redis
from django.db import connection, connections
from django.db.models import Sum
from prometheus_client import REGISTRY

from jobs.clock import database_now
from jobs.models import DeadLetter, Heartbeat
from snip.counter import count_clicks, upkeep
from snip.counter import deal_with as dealing
from snip.counter.apply import Applier, Brought
from snip.counter.count_clicks import ClickCounter
from snip.counter.partitions import hours_with_partition
from snip.event import AgentClass, Click, unpack
from snip.log.group import Consumer
from snip.models import ClickCount, ProcessedClick, UncountedClicks
from snip.tasks import tend_click_partitions
from snip.uuid7 import first_uuid7
from tests.fixtures_clicks import LOG, count_all, counted, drop_click_partitions, some_clicks, write_clicks
from tests.fixtures_clock import Clock
from tests.ledger import real_commits

pytestmark = real_commits
Counters = Callable[[], ClickCounter]


class Killed(BaseException):
    """As far as Redis and PostgreSQL can tell, the process has been killed here."""


POINTS = {
    "given, not yet claimed": (Applier, "apply", "before"),
    "claimed, not yet counted": (Applier, "_claim", "after"),
    "counted, not yet committed": (Applier, "_add", "after"),
    "committed, not yet acknowledged": (Consumer, "acknowledge", "before"),
    "acknowledged": (Consumer, "acknowledge", "after"),
}


def kill_at(point: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, name, moment = POINTS[point]
    original = getattr(owner, name)

    def _killed(self: Any, *args: Any, **kwargs: Any) -> Any:
        if moment == "after":
            original(self, *args, **kwargs)
        raise Killed

    monkeypatch.setattr(owner, name, _killed)


@pytest.mark.parametrize("point", POINTS)
def test_a_counter_that_dies_anywhere_leaves_each_click_counted_once(
    point: str, click_counter: Counters, log_to_count: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_clicks(log_to_count, some_clicks(500, codes=7, bots=100))
    with monkeypatch.context() as patched:
        kill_at(point, patched)
        with pytest.raises(Killed):
            click_counter().run_once()
    connection.close()

    write_clicks(log_to_count, some_clicks(50, codes=7))
    count_all(click_counter())

    assert counted() == (450, 100)
    assert ProcessedClick.objects.count() == 550


def test_a_code_that_everybody_clicks_on_is_one_row_and_many_codes_are_one_each(
    click_counter: Counters, log_to_count: redis.Redis
) -> None:
    write_clicks(log_to_count, some_clicks(300) + some_clicks(200, codes=200))

    assert count_all(click_counter()) == 500

    of_codes = ClickCount.objects.values("code").annotate(all=Sum("clicks"))
    assert {each["code"]: each["all"] for each in of_codes} == {"c0": 301} | {f"c{n}": 1 for n in range(1, 200)}


def test_a_group_that_is_given_the_whole_log_again_adds_nothing(
    click_counter: Counters, log_to_count: redis.Redis
) -> None:
    write_clicks(log_to_count, some_clicks(400, codes=50))
    count_all(click_counter())
    for stream in LOG:
        log_to_count.xgroup_destroy(stream, "counter")

    assert count_all(click_counter()) == 400

    assert counted() == (400, 0)


def test_a_click_that_its_writer_sent_twice_counts_once(click_counter: Counters, log_to_count: redis.Redis) -> None:
    clicks = some_clicks(100)
    write_clicks(log_to_count, clicks)
    write_clicks(log_to_count, clicks)

    assert count_all(click_counter()) == 200
    assert counted() == (100, 0)


def test_of_two_clicks_with_one_id_the_first_counts_as_it_does_in_the_archive(
    click_counter: Counters, log_to_count: redis.Redis
) -> None:
    (click,) = some_clicks(1)
    write_clicks(log_to_count, [click])
    write_clicks(log_to_count, [replace(click, agent=AgentClass.BOT)])

    assert count_all(click_counter()) == 2
    assert counted() == (1, 0)


def test_what_is_no_click_goes_to_the_dead_letters_at_once_and_its_batch_is_counted(
    click_counter: Counters, log_to_count: redis.Redis
) -> None:
    write_clicks(log_to_count, some_clicks(100))
    log_to_count.xadd(LOG[0], {"c": b"\xff no click"})
    log_to_count.xadd(LOG[0], {"another": "field"})

    assert count_all(click_counter()) == 102

    assert counted() == (100, 0)
    letters = DeadLetter.objects.filter(queue=LOG[0], reason="malformed click")
    assert sorted(letter.body for letter in letters) == ["", "\\xff no click"]


def test_a_click_that_the_database_refuses_stops_none_of_the_others(
    click_counter: Counters, log_to_count: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    def less_strict(packed: bytes) -> Click:
        click = unpack(packed)
        return replace(click, code="c\0") if click.code == "refused" else click

    monkeypatch.setattr(dealing, "unpack", less_strict)
    write_clicks(log_to_count, some_clicks(60))
    write_clicks(log_to_count, [Click(id=first_uuid7(database_now()), code="refused")])
    write_clicks(log_to_count, some_clicks(60))

    count_all(click_counter())

    assert counted() == (120, 0)
    assert DeadLetter.objects.get().reason == "click that cannot be stored"


def test_a_click_of_another_day_is_told_apart_and_never_counted(
    click_counter: Counters, log_to_count: redis.Redis
) -> None:
    now = database_now()
    hours = [-100, -49, -47, 0, 0.9, 1.1]
    write_clicks(log_to_count, [Click(id=first_uuid7(now + timedelta(hours=each)), code="c") for each in hours])

    count_all(click_counter())

    assert counted() == (3, 0)
    assert dict(UncountedClicks.objects.values_list("why", "clicks")) == {"late": 2, "early": 1}


def test_a_click_whose_partition_went_between_two_looks_is_late_and_not_counted_again(
    click_counter: Counters, log_to_count: redis.Redis, clock: Clock
) -> None:
    clicks = some_clicks(20)
    write_clicks(log_to_count, clicks)
    counter = click_counter()
    count_all(counter)
    clock.advance(timedelta(hours=51))
    drop_click_partitions()

    write_clicks(log_to_count, clicks)
    count_all(counter)

    assert counted() == (20, 0)
    assert UncountedClicks.objects.get().clicks == 20


def test_a_partition_that_vanished_under_a_counter_is_looked_for_again(
    click_counter: Counters, log_to_count: redis.Redis
) -> None:
    counter = click_counter()
    write_clicks(log_to_count, some_clicks(5))
    count_all(counter)
    drop_click_partitions()
    write_clicks(log_to_count, some_clicks(5))

    with pytest.raises(Exception, match="no partition"):
        counter.run_once()
    count_all(counter)

    assert counted() == (10, 0)


def test_a_session_that_postgresql_ended_costs_another_try_and_no_click(
    click_counter: Counters, log_to_count: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_clicks(log_to_count, some_clicks(100))
    counter = click_counter()
    waits: list[float] = []
    ended = iter([True, True, True])
    original = Applier._claim

    def _end_session(self: Applier, keys: Any) -> Any:
        if next(ended, False):
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        return original(self, keys)

    def _wait(self: ClickCounter, seconds: float) -> None:
        if counted() == (100, 0):
            self.stop()
        else:
            waits.append(seconds)

    monkeypatch.setattr(Applier, "_claim", _end_session)
    monkeypatch.setattr(ClickCounter, "_sleep", _wait)
    monkeypatch.setattr(count_clicks.random, "random", lambda: 0.5)
    counter.run()

    assert waits == [0.25, 0.5, 1.0]
    assert counted() == (100, 0)


def test_counters_with_the_same_clicks_and_codes_in_another_order_wait_for_each_other(
    no_click_partitions: None,
) -> None:
    clicks = [Brought(click.id.bytes, click.code, False) for click in some_clicks(600, codes=40)]
    failures: list[Exception] = []
    start = threading.Barrier(3)

    def _count() -> None:
        applier = Applier()
        try:
            start.wait(10)
            for _ in range(3):
                parts = random.sample(clicks, len(clicks))
                for at in range(0, len(parts), 200):
                    applier.apply(parts[at : at + 200])
        except Exception as failure:
            failures.append(failure)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=_count) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert failures == []
    assert counted() == (600, 0)


def test_a_counter_says_that_it_lives_and_leaves_in_good_order(
    click_counter: Counters, log_to_count: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_clicks(log_to_count, some_clicks(10))
    counter = click_counter()
    seen: list[str] = []

    def _look_and_stop(self: ClickCounter, seconds: float) -> None:
        seen.extend(Heartbeat.objects.filter(kind="counter").values_list("name", flat=True))
        self.stop()

    monkeypatch.setattr(ClickCounter, "_sleep", _look_and_stop)
    counter.run()

    assert [name.startswith("counter@") for name in seen] == [True]
    assert counted() == (10, 0)
    assert not Heartbeat.objects.filter(kind="counter").exists()
    assert [log_to_count.xinfo_consumers(stream, "counter") for stream in LOG] == [[]] * len(LOG)


def test_what_lies_before_the_group_and_what_it_lost_is_told_to_prometheus(
    click_counter: Counters, log_to_count: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "BEAT_SECONDS", 0.0)
    counter = click_counter()
    counter.run_once()
    write_clicks(log_to_count, some_clicks(400))
    for stream in LOG:
        log_to_count.xtrim(stream, maxlen=10, approximate=False)

    assert counter.run_once() == 10 * len(LOG)
    assert REGISTRY.get_sample_value("snip_counter_lag") == 400

    counter.run_once()
    assert REGISTRY.get_sample_value("snip_counter_lag") == 0
    assert REGISTRY.get_sample_value("snip_counter_pending") == 0
    assert REGISTRY.get_sample_value("snip_counter_lost") == 400 - 10 * len(LOG)


def test_the_periodic_job_makes_the_next_partitions_and_drops_the_old_ones(
    no_click_partitions: None, clock: Clock
) -> None:
    tend_click_partitions.run()
    first = hours_with_partition()
    clock.advance(timedelta(hours=60))

    tend_click_partitions.run()

    assert len(first) == len(hours_with_partition()) == 3
    assert not first & hours_with_partition()
