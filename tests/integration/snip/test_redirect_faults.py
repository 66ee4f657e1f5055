"""The redirect while its servers fail in every way: each answer as quick as ever, and no click lost that was kept."""

from __future__ import annotations

import http.client
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import connection

from snip.event import unpack
from snip.log.streams import stream_names
from tests.fixtures_own_redis import OwnRedis, running_redis
from tests.fixtures_redirect import PHONE, RedirectProcess, database_url, running_redirect
from tests.processes import wait_for

pytestmark = pytest.mark.django_db(transaction=True)
Make = Callable[..., str]

TIMED_OUT = 0.5
"""Seconds, half of what the redirect itself waits for Redis: whoever waited for that would be slower."""


@pytest.fixture(scope="module")
def redis_of_module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnRedis]:
    with running_redis(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture(scope="module")
def redirect_that_suffers(django_db_setup: None, redis_of_module: OwnRedis) -> Iterator[RedirectProcess]:
    """One process for all faults."""
    with running_redirect(REDIS_URL=redis_of_module.url, LOG_FORMAT="json") as running:
        yield running


@pytest.fixture
def suffering(redirect_that_suffers: RedirectProcess, live_link: Make) -> Iterator[RedirectProcess]:
    """It writes clicks: whatever the test before has done is over."""
    yield redirect_that_suffers
    redirect_that_suffers.postgres.cut()
    redirect_that_suffers.postgres.restore()


def in_log(server: OwnRedis, code: str) -> int:
    """How many clicks on ``code`` its log has, each id once."""
    entries = [fields[b"c"] for name in stream_names(settings.SNIP_STREAMS) for _, fields in server.client.xrange(name)]
    return len({click.id for click in map(unpack, entries) if click.code == code})


def visits(running: RedirectProcess, code: str, *, seconds: float) -> list[float]:
    """Follow the link for so long on one connection; returns how long each answer took. All of them redirect."""
    client = http.client.HTTPConnection("127.0.0.1", running.port, timeout=10)
    took, until = [], time.monotonic() + seconds
    while time.monotonic() < until:
        began = time.monotonic()
        client.request("GET", f"/{code}", headers={"User-Agent": PHONE})
        answer = client.getresponse()
        answer.read()
        took.append(time.monotonic() - began)
        assert answer.status == 302
        time.sleep(0.005)  # a pace, and not a wait: a few hundred visits in all
    client.close()
    return took


@contextmanager
def killed(server: OwnRedis) -> Iterator[None]:
    server.kill()
    yield
    server.start()


@contextmanager
def standing_still(server: OwnRedis) -> Iterator[None]:
    server.pause()
    try:
        yield
    finally:
        server.resume()


@contextmanager
def full(server: OwnRedis) -> Iterator[None]:
    server.set("maxmemory", 1)
    yield
    server.set("maxmemory", 0)


@contextmanager
def a_replica(server: OwnRedis) -> Iterator[None]:
    """Nothing may be written into it, as after a failover that the address does not know of."""
    server.client.replicaof("127.0.0.1", "1")
    yield
    server.client.replicaof("NO", "ONE")


@contextmanager
def slow(server: OwnRedis) -> Iterator[None]:
    server.client.execute_command("CLIENT", "PAUSE", 800, "ALL")
    yield


@pytest.mark.parametrize("fault", [killed, standing_still, full, a_replica, slow])
def test_while_redis_fails_redirects_are_as_quick_as_ever_and_their_clicks_are_written_afterwards(
    suffering: RedirectProcess, redis_of_module: OwnRedis, live_link: Make, fault: Any
) -> None:
    code = live_link()
    assert suffering.visit(f"/{code}").status == 302
    wait_for(lambda: in_log(redis_of_module, code) == 1, what="Redis takes clicks")

    with fault(redis_of_module):
        took = visits(suffering, code, seconds=0.6)

    assert sorted(took)[len(took) * 99 // 100] < TIMED_OUT
    wait_for(lambda: in_log(redis_of_module, code) == len(took) + 1, what="all clicks are in the log")


def test_a_redis_that_lost_everything_is_written_into_as_a_new_one(
    suffering: RedirectProcess, redis_of_module: OwnRedis, live_link: Make
) -> None:
    code = live_link()
    assert suffering.visit(f"/{code}").status == 302
    wait_for(lambda: in_log(redis_of_module, code) == 1, what="Redis takes clicks")
    redis_of_module.client.flushall()  # of the test's own server, as are the scripts
    redis_of_module.client.script_flush()

    took = visits(suffering, code, seconds=0.1)

    wait_for(lambda: in_log(redis_of_module, code) == len(took), what="the clicks are in the log")


def test_a_redis_that_may_lose_the_log_is_told_of_and_written_into(own_redis: OwnRedis, live_link: Make) -> None:
    code = live_link()
    own_redis.set("appendonly", "no")
    own_redis.set("maxmemory-policy", "allkeys-lru")
    with running_redirect(REDIS_URL=own_redis.url, LOG_FORMAT="json") as running:
        assert running.visit(f"/{code}").status == 302

        wait_for(lambda: in_log(own_redis, code) == 1, what="the click is in the log")
        (said,) = [line for line in running.process.output if "click_log_not_kept" in line]

    assert "appendonly yes" in said
    assert "maxmemory-policy noeviction" in said


def no_connections(allowed: str) -> None:
    """What PostgreSQL says to whoever is new, as when it has no connection left; the tests' own stays."""
    name = connection.settings_dict["NAME"]
    with psycopg.connect(database_url().rpartition("/")[0] + "/postgres", autocommit=True) as elsewhere:
        elsewhere.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS {allowed}'.encode())


@contextmanager
def without_a_connection(_: RedirectProcess) -> Iterator[None]:
    no_connections("false")
    try:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE application_name = 'boxoffice-redirect' AND datname = current_database()"
            )
        yield
    finally:
        no_connections("true")


@contextmanager
def with_a_table_that_is_locked(_: RedirectProcess) -> Iterator[None]:
    with psycopg.connect(database_url()) as other:
        other.execute("LOCK TABLE snip_linkcode IN ACCESS EXCLUSIVE MODE")
        yield
        other.rollback()


@contextmanager
def frozen(running: RedirectProcess) -> Iterator[None]:
    running.postgres.freeze()
    yield
    running.postgres.cut()
    running.postgres.restore()


@pytest.mark.parametrize("fault", [without_a_connection, with_a_table_that_is_locked, frozen])
def test_while_postgresql_fails_known_codes_are_as_quick_as_ever_and_it_is_not_flooded(
    suffering: RedirectProcess, live_link: Make, fault: Any
) -> None:
    known, other = live_link(), live_link()
    wait_for(lambda: suffering.visit(f"/{known}").status == 302, what="PostgreSQL is asked")

    with fault(suffering):
        began = time.monotonic()
        assert suffering.visit(f"/{other}").status == 503
        assert time.monotonic() - began < 5
        took = visits(suffering, known, seconds=1.0)
        assert suffering.visit(f"/{other}").status == 503

    assert sorted(took)[len(took) * 99 // 100] < TIMED_OUT
    wait_for(lambda: suffering.visit(f"/{other}").status == 302, what="PostgreSQL is asked again")
    wait_for(lambda: connections_of_redirects() == 1, what="what was given up is closed")


def connections_of_redirects() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity "
            "WHERE application_name = 'boxoffice-redirect' AND datname = current_database()"
        )
        return int(cursor.fetchone()[0])


def test_a_process_that_is_told_to_stop_while_redis_is_slow_writes_what_it_holds(
    own_redis: OwnRedis, live_link: Make
) -> None:
    code = live_link()
    with running_redirect(REDIS_URL=own_redis.url) as running:
        assert running.visit(f"/{code}").status == 302
        wait_for(lambda: in_log(own_redis, code) == 1, what="Redis takes clicks")
        with slow(own_redis):
            number = 1 + len(visits(running, code, seconds=0.2))

            assert running.process.terminate(seconds=10) == 0

    assert in_log(own_redis, code) == number


def test_a_process_that_is_killed_loses_the_last_moment_and_what_it_kept_for_a_redis_that_was_away(
    own_redis: OwnRedis, live_link: Make
) -> None:
    before, last = live_link(), live_link()
    with running_redirect(REDIS_URL=own_redis.url) as running:
        assert running.visit(f"/{last}").status == 302
        number = len(visits(running, before, seconds=0.3))
        wait_for(lambda: in_log(own_redis, before) == number, seconds=2, what="what is older is in the log")
        own_redis.set("maxmemory", 1)
        written = in_log(own_redis, last)
        visits(running, last, seconds=0.3)
        running.process.kill()

    own_redis.set("maxmemory", 0)
    assert (in_log(own_redis, before), in_log(own_redis, last)) == (number, written)
