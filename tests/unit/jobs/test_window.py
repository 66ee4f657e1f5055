"""How many jobs of a queue may sit at the broker."""

from __future__ import annotations

import pytest

from jobs.flow.window import SMALLEST, Drain, window_for


def drained(*looks: tuple[float, int, int]) -> float:
    """The rate that a relay sees which looked at these times, found so many published, and added some."""
    drain = Drain()
    for now, published, added in looks:
        drain.note(now=now, published=published, added=added)
    return drain.per_second


def test_a_queue_of_which_nothing_is_known_gets_a_small_window() -> None:
    assert window_for(largest=500, prefetch=0, drain=0) == SMALLEST


def test_slow_workers_get_twice_what_they_can_hold() -> None:
    assert window_for(largest=500, prefetch=8, drain=3) == 16


def test_quick_workers_get_a_second_of_work_and_never_more_than_the_queue_allows() -> None:
    assert window_for(largest=500, prefetch=8, drain=78) == 78
    assert window_for(largest=500, prefetch=8, drain=3000) == 500


def test_the_rate_is_what_left_between_two_looks() -> None:
    assert drained((0.0, 0, 20), (0.1, 10, 10), (0.2, 10, 10)) == pytest.approx(100, rel=0.01)


def test_a_stopped_pool_makes_the_window_small_within_seconds() -> None:
    busy = [(n / 10, 10, 10) for n in range(20)]
    assert drained(*busy) == pytest.approx(100, rel=0.1)
    assert drained(*busy, *[(2 + n / 10, 20, 0) for n in range(50)]) < 5


def test_an_idle_time_says_nothing_of_how_quick_the_workers_are() -> None:
    assert drained((0.0, 0, 20), (0.1, 0, 0), (60.0, 0, 20), (60.1, 0, 0)) == pytest.approx(200, rel=0.01)


def test_other_relays_batches_never_make_the_window_larger() -> None:
    assert drained((0.0, 0, 10), (0.1, 30, 0)) == 0


def test_what_the_broker_refused_was_not_started() -> None:
    drain = Drain()
    drain.note(now=0.0, published=0, added=500)
    drain.take_back(500)
    drain.note(now=1.0, published=0, added=0)
    assert drain.per_second == 0


def with_slow_jobs(*, processes: int, seconds: float, minutes: float = 10) -> list[float]:
    """What a relay tells of processes that take ``seconds`` for each job, from the second minute on."""
    drain, published, free_at, told = Drain(), 0, [seconds * (1 + n / processes) for n in range(processes)], []
    for now in (look / 2 for look in range(int(minutes * 120))):
        for n, free in enumerate(free_at):
            if free <= now and published:
                published, free_at[n] = published - 1, now + seconds
        drain.note(now=now, published=published, added=10 - published)
        published = 10
        if now > 60:
            told.append(drain.lately)
    return told


@pytest.mark.parametrize(("processes", "seconds"), [(2, 2), (2, 10), (8, 20), (20, 20)])
def test_who_refuses_by_the_drain_hears_about_the_truth_of_slow_jobs_too(processes: int, seconds: float) -> None:
    told = with_slow_jobs(processes=processes, seconds=seconds)
    assert min(told) > processes / seconds / 2
    assert max(told) < processes / seconds * 2


def test_workers_that_start_over_are_not_taken_for_slow_ones_and_those_that_are_gone_for_nobody() -> None:
    drain = Drain()
    for n in range(1000):
        drain.note(now=n / 10, published=10, added=10)
    for n in range(1000, 1300):
        drain.note(now=n / 10, published=20, added=0)
    assert drain.lately > 40
    for n in range(1300, 1700):
        drain.note(now=n / 10, published=20, added=0)
    assert drain.lately == 0


def test_the_time_of_a_pause_says_nothing_of_how_slow_the_workers_are() -> None:
    assert drained((0.0, 0, 20), (0.1, 10, 10), (3600.0, 0, 20), (3600.1, 10, 0)) == pytest.approx(100, rel=0.01)
