"""The pool of threads, without a worker around it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from jobs.worker.thread_pool import ThreadPool
from tests.processes import wait_for


class Requests:
    """What a worker hears of its jobs, in its order."""

    def __init__(self, pool: ThreadPool) -> None:
        self.pool = pool
        self.heard: list[tuple[str, str]] = []

    def start(self, name: str, work: Any, *, limit: float | None = None) -> None:
        self.pool.apply_async(
            work,
            callback=lambda _result: self.heard.append((name, "ended")),
            accept_callback=lambda *_who: self.heard.append((name, "accepted")),
            timeout_callback=lambda soft, _limit: self.heard.append((name, "exceeded")),
            timeout=limit,
        )

    def hear(self, name: str, what: str) -> None:
        """Turn the event loop, as it were, until this is heard."""

        def heard() -> bool:
            self.pool._look()
            return (name, what) in self.heard

        wait_for(heard, seconds=5, what=f"{name} {what}")


@pytest.fixture
def pool_of_two() -> Iterator[ThreadPool]:
    pool = ThreadPool(2)
    yield pool
    pool.stop()


@pytest.fixture
def unblocked() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def test_news_of_a_job_come_in_their_order_and_only_in_the_event_loop(pool_of_two: ThreadPool) -> None:
    requests, worked = Requests(pool_of_two), threading.Event()
    requests.start("a", worked.set)
    assert worked.wait(5)
    assert requests.heard == []
    requests.hear("a", "ended")
    assert requests.heard == [("a", "accepted"), ("a", "ended")]


def test_no_more_jobs_run_than_there_are_threads_and_threads_are_started_as_they_are_needed(
    pool_of_two: ThreadPool, unblocked: threading.Event
) -> None:
    requests = Requests(pool_of_two)
    requests.start("a", unblocked.wait)
    assert len(pool_of_two._threads) == 1
    requests.start("b", unblocked.wait)
    requests.start("c", unblocked.wait)
    wait_for(lambda: sum(map(bool, pool_of_two.running())) == 2, what="two run")
    assert pool_of_two.running().count("") == 1
    unblocked.set()
    requests.hear("c", "ended")
    assert len(pool_of_two._threads) == 2


def test_a_job_that_hangs_gives_its_place_to_the_next_and_what_becomes_of_it_is_not_heard(
    pool_of_two: ThreadPool, unblocked: threading.Event
) -> None:
    requests = Requests(pool_of_two)
    requests.start("hangs", unblocked.wait, limit=0.05)
    requests.start("hangs too", unblocked.wait, limit=0.05)
    requests.start("next", lambda: None)
    requests.hear("hangs", "exceeded")
    requests.hear("hangs too", "exceeded")
    assert pool_of_two.hanging == 2
    requests.start("later", lambda: None)
    requests.hear("next", "ended")
    requests.hear("later", "ended")
    unblocked.set()
    wait_for(lambda: pool_of_two.hanging == 0, what="they have ended")
    pool_of_two._look()
    assert ("hangs", "ended") not in requests.heard
    assert pool_of_two.running() == []


def test_a_job_that_waited_behind_those_that_hang_runs_though_no_other_job_comes(
    pool_of_two: ThreadPool, unblocked: threading.Event
) -> None:
    requests = Requests(pool_of_two)
    for name in ("hangs", "hangs too"):
        requests.start(name, unblocked.wait, limit=0.05)
    for name in ("next", "last"):
        requests.start(name, lambda: None)
    requests.hear("next", "ended")
    requests.hear("last", "ended")


def test_a_body_that_raises_what_ends_a_process_ends_nothing(pool_of_two: ThreadPool) -> None:
    def leave() -> None:
        raise SystemExit(3)

    requests = Requests(pool_of_two)
    for name in "abc":
        requests.start(name, leave)
        requests.hear(name, "ended")


def test_its_end_waits_for_no_job(pool_of_two: ThreadPool, unblocked: threading.Event) -> None:
    requests = Requests(pool_of_two)
    requests.start("hangs", unblocked.wait)
    requests.hear("hangs", "accepted")
    pool_of_two.stop()
    assert len(pool_of_two.running()) == 1
