"""Counters as processes of their own, on a Redis of their own, killed at every point while clicks keep coming."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from django.conf import settings

from deploy.local.redis import redis_server
from snip.models import ProcessedClick
from tests.failpoints import COUNTER, Failpoints
from tests.fixtures_clicks import LOG, counted, some_clicks, write_clicks
from tests.fixtures_jobs import environment
from tests.ledger import real_commits
from tests.ports import free_ports
from tests.processes import Process, wait_for

pytestmark = [real_commits, pytest.mark.usefixtures("no_click_partitions")]


@pytest.fixture
def kept_log(tmp_path: Path) -> Iterator[redis.Redis]:
    """A Redis of the test's own that keeps what is written into it, as counters ask for."""
    (port,) = free_ports(1)
    command = [str(redis_server()), "--port", str(port), "--bind", "127.0.0.1", "--appendonly", "yes", "--save", ""]
    server = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL)
    with redis.Redis(port=port, socket_timeout=20) as client:
        wait_for(lambda: answers(client), what="Redis answers")
        yield client
    server.kill()
    server.wait(60)


def answers(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.ConnectionError:
        return False


class Counters:
    """Processes of ``manage.py count_clicks``."""

    def __init__(self, *, log: redis.Redis, folder: Path) -> None:
        address = f"redis://127.0.0.1:{log.connection_pool.connection_kwargs['port']}/0"
        self._environment = {**environment(settings.BROKER_URL), "REDIS_URL": address, "FAILPOINTS": str(folder)}
        self.processes: list[Process] = []

    def start(self, number: int) -> None:
        """Start so many, which take over what others have held for half a second."""
        command = [sys.executable, "manage.py", "count_clicks", "--take-over-after", "0.5"]
        started = [Process("counter", command, self._environment, ready="counter ready") for _ in range(number)]
        self.processes += started

    def alive(self) -> list[Process]:
        return [process for process in self.processes if process.alive]

    def stop(self) -> None:
        for process in self.processes:
            process.kill()
            print("".join(process.output[-20:]))  # noqa: T201  (shown for a test that failed)


@pytest.fixture
def live_counters(kept_log: redis.Redis, tmp_path: Path) -> Iterator[Counters]:
    counters = Counters(log=kept_log, folder=tmp_path)
    yield counters
    counters.stop()


def test_counters_that_are_killed_at_every_point_count_each_click_of_a_storm_once(
    kept_log: redis.Redis, live_counters: Counters, tmp_path: Path
) -> None:
    points = Failpoints(tmp_path)
    for point in COUNTER:
        points.arm(point, "kill")
    live_counters.start(len(COUNTER) + 1)
    clicks = some_clicks(6000, codes=40, bots=600)
    for at in range(0, len(clicks), 1000):
        write_clicks(kept_log, clicks[at : at + 1000])
        write_clicks(kept_log, clicks[at : at + 100])  # its writer did not hear that they were taken

    def _goes_on() -> bool:
        """Clicks come until every point has been met."""
        if all(points.fired(point) for point in COUNTER):
            return True
        more = some_clicks(10, codes=40)
        clicks.extend(more)
        write_clicks(kept_log, more)
        return False

    wait_for(_goes_on, seconds=60, what="every point is met")
    wait_for(lambda: sum(counted()) >= len(clicks), seconds=30, what="all clicks are counted")
    wait_for(lambda: not pending(kept_log), seconds=30, what="all clicks are acknowledged")

    assert counted() == (len(clicks) - 600, 600)
    assert ProcessedClick.objects.count() == len(clicks)
    (survivor,) = live_counters.alive()
    assert survivor.terminate() == 0


def test_a_counter_goes_on_after_redis_and_ends_when_it_is_told_to(
    kept_log: redis.Redis, live_counters: Counters
) -> None:
    live_counters.start(1)
    (counter,) = live_counters.processes
    counter.wait_until_ready()
    kept_log.flushall()  # its own server: the group is gone, as after a loss of all data
    write_clicks(kept_log, some_clicks(100))

    wait_for(lambda: counted() == (100, 0), what="the clicks are counted")
    assert counter.terminate() == 0
    assert [kept_log.xinfo_consumers(stream, "counter") for stream in LOG] == [[]] * len(LOG)


def pending(client: redis.Redis) -> int:
    return sum(client.xpending(stream, "counter")["pending"] for stream in LOG)
