"""Workers that run jobs in threads: what holds of processes holds of them, with one session for each thread."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterator

import pytest
import redis
from django.db import connection
from pytest_django.plugin import DjangoDbBlocker

from jobs.models import Job
from tests.fixtures_jobs import broker_url, empty, end_between_tests, environment
from tests.ledger import assert_marked_once, job, real_commits, wait_for_state, wait_until_done
from tests.probe.models import Call
from tests.processes import Process, System, wait_for

pytestmark = real_commits

THREADS = 6
SESSIONS_OF = "SELECT count(*) FROM pg_stat_activity WHERE pid = ANY(%s)"
END_SESSIONS = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE pid = ANY(%s)"


@pytest.fixture(scope="module", params=["redis"])
def thread_system(
    request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[System]:
    """Processes that outlive a test: to start them takes most of its time."""
    with django_db_blocker.unblock():
        ours = environment(broker_url(request.param))
    system = System(ours | {"DJANGO_SETTINGS_MODULE": "tests.threaded_settings"})
    yield system
    end_between_tests(system, blocker=django_db_blocker)


@pytest.fixture
def threads(thread_system: System, transactional_db: None) -> System:
    """A worker of six threads, which is ``processes[0]``, and a relay; on empty queues."""
    empty(thread_system.environment["BROKER_URL"])
    alive = [process for process in thread_system.processes if process.alive]
    workers = [process for process in alive if process.name != "relay"]
    worker = workers[0] if workers else start_worker(thread_system, wait=False)
    relays = [process for process in alive if process.name == "relay"]
    relay = relays[0] if relays else thread_system.start_relay(wait=False)
    thread_system.processes[:] = [worker, relay]
    for process in thread_system.processes:
        process.wait_until_ready()
    return thread_system


def start_worker(system: System, *, wait: bool = True) -> Process:
    return system.start_worker(concurrency=THREADS, prefetch=1, pool="threads", wait=wait)


def sessions(pids: list[int]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(SESSIONS_OF, [pids])
        (count,) = cursor.fetchone()
    return int(count)


def run_at_once(enqueued: Callable[..., int], word: str) -> list[int]:
    """As many jobs as there are threads, each of which waits long enough for all to run at once; their sessions."""
    keys = [f"{word} {number}" for number in range(THREADS)]
    jobs = [enqueued("probe.call", key=key, seconds=0.7) for key in keys]
    wait_for(lambda: Job.objects.filter(pk__in=jobs, state="running").count() == THREADS, what="all run")
    pids = list(Job.objects.filter(pk__in=jobs).values_list("backend_pid", flat=True))
    workers = set(Job.objects.filter(pk__in=jobs).values_list("worker", flat=True))
    assert len(workers) == THREADS
    wait_until_done(jobs)
    assert_marked_once(keys)
    return pids


def test_a_broker_that_hangs_up_meanwhile_loses_no_job_that_threads_have_in_hand(
    threads: System, enqueued: Callable[..., int]
) -> None:
    keys = [f"meanwhile {number}" for number in range(2 * THREADS)]
    jobs = [enqueued("probe.call", key=key, seconds=0.7) for key in keys]
    wait_for(lambda: Job.objects.filter(state="running").count() == THREADS, what="all run")
    hang_up(broker_url("redis"))
    threads.processes[0].wait_for_output("Connection to broker lost")
    wait_until_done(jobs)
    run_at_once(enqueued, "afterwards")
    assert Job.objects.values("backend_pid").distinct().count() == THREADS
    assert set(Job.objects.values_list("attempts", "token")) == {(0, 1)}


def hang_up(url: str) -> None:
    """On all clients of this test's own database in Redis."""
    with redis.Redis.from_url(url, socket_timeout=20) as client:
        database, own = str(client.connection_pool.connection_kwargs["db"]), client.client_id()
        for other in client.client_list():
            if other["db"] == database and int(other["id"]) != own:
                client.client_kill_filter(_id=other["id"])


def test_a_line_of_the_log_names_the_job_of_its_own_thread(threads: System, enqueued: Callable[..., int]) -> None:
    jobs = [enqueued("probe.fail", key=str(number), kind="transient", times=1) for number in range(3 * THREADS)]
    wait_until_done(jobs)
    worker = threads.processes[0]
    told = [json.loads(line) for line in worker.output if '"attempt_failed"' in line]
    pairs = {(line["job"], line["correlation_id"]) for line in told if line["job"] in jobs}
    assert pairs == set(Job.objects.values_list("pk", "correlation_id"))


def test_a_thread_past_the_hard_limit_is_given_up_and_writes_nothing_while_others_go_on(
    threads: System, enqueued: Callable[..., int]
) -> None:
    worker = threads.processes[0]
    hangs = enqueued("probe.ignore_the_time_limit", key="hangs", times=1)
    wait_for(lambda: job(hangs).state == "running", what="it runs")
    meanwhile = [enqueued("probe.call", key=f"meanwhile {number}", seconds=0.1) for number in range(12)]
    wait_until_done(meanwhile, seconds=2.5)
    wait_for(lambda: job(hangs).attempts == 1, what="the attempt is used up")
    failed = job(hangs)
    assert (failed.deliveries, failed.token) == (0, 1)
    assert failed.error == "TimeLimitExceeded: the job ran longer than 3 s, and its thread was given up."
    # The next run lets the thread that was given up go on, to where it would record.
    assert wait_for_state(hangs, "done").token == 2
    wait_for(lambda: any("lease_lost" in line for line in worker.output), what="it has lost its lease")
    assert_marked_once(["hangs", *(f"meanwhile {number}" for number in range(12))])


def test_a_worker_all_of_whose_threads_hang_starts_over(threads: System, enqueued: Callable[..., int]) -> None:
    worker = threads.processes[0]
    starts = sum(worker.ready in line for line in worker.output)
    lost = [enqueued("probe.outlast_every_time_limit", key=f"hangs {number}") for number in range(THREADS)]
    for job_id in lost:
        assert wait_for_state(job_id, "dead", seconds=30).reason == "attempts used up"
    wait_for(lambda: sum(worker.ready in line for line in worker.output) > starts, what="it is ready again")
    wait_until_done([enqueued("probe.call", key="after")])
    assert_marked_once(["after"])


@pytest.mark.parametrize("thread_system", ["rabbitmq"], indirect=True, scope="module")
def test_a_worker_that_stops_hands_back_what_hangs_and_does_not_wait_for_it(
    threads: System, enqueued: Callable[..., int]
) -> None:
    worker = threads.processes[0]
    hangs = enqueued("probe.ignore_the_order_to_stop", key="hangs")
    ends = enqueued("probe.take_long", key="ends", seconds=0.8)
    wait_for(lambda: Call.objects.count() == 2, what="both run")
    started = time.monotonic()
    assert worker.terminate() == 0
    assert 0.8 < time.monotonic() - started < 4  # one second for what runs, as the tests' settings have it
    assert (job(ends).state, job(ends).token) == ("done", 1)
    handed_back = job(hangs)
    assert (handed_back.deliveries, handed_back.attempts) == (0, 0)
    start_worker(threads)
    assert wait_for_state(hangs, "done").token == 2
    assert_marked_once(["ends", "hangs"])
    assert not any("run_rescued" in line for line in threads.processes[1].output)


def test_a_worker_that_is_killed_loses_none_of_its_jobs_and_their_effects_happen_once(
    threads: System, enqueued: Callable[..., int]
) -> None:
    worker = threads.processes[0]
    keys = [str(number) for number in range(2 * THREADS)]
    jobs = [enqueued("probe.take_long", key=key, seconds=30, times=1) for key in keys]
    wait_for(lambda: Call.objects.count() == THREADS, what="as many run as there are threads")
    running = set(Job.objects.filter(state="running").values_list("pk", flat=True))
    worker._signal(signal.SIGKILL)
    killed = time.monotonic()
    wait_for(lambda: not Job.objects.filter(pk__in=running, state="running").exists(), what="they are brought back")
    assert time.monotonic() - killed < 10  # by their sessions, not by their leases of 50 s
    Call.objects.bulk_create([Call(key=key, worker_pid=0) for key in keys])  # from now on none takes long
    start_worker(threads)
    wait_until_done(jobs)
    assert_marked_once(keys)
    assert set(Job.objects.filter(pk__in=running).values_list("state", "attempts")) == {("done", 0)}


@pytest.mark.parametrize("thread_system", ["redis", "rabbitmq"], indirect=True, scope="module")
def test_each_thread_claims_with_a_session_of_its_own_which_is_closed_when_the_worker_stops(
    threads: System, enqueued: Callable[..., int]
) -> None:
    worker = threads.processes[0]
    first = run_at_once(enqueued, "first")
    assert len(set(first)) == THREADS
    assert sessions(first) == THREADS  # they stay open between jobs

    with connection.cursor() as cursor:
        cursor.execute(END_SESSIONS, [first])
    second = run_at_once(enqueued, "second")  # by sessions that were opened anew
    assert set(second).isdisjoint(first)
    assert set(Job.objects.values_list("attempts", "token")) == {(0, 1)}
    assert len(set(Call.objects.values_list("worker_pid", flat=True))) == 1

    started = time.monotonic()
    assert worker.terminate() == 0
    assert time.monotonic() - started < 3
    assert sessions(second) == 0
    assert not any("leaves_the_hard_way" in line for line in worker.output)
