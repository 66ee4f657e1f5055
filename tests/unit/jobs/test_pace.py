"""When the relay looks at which queue."""

from __future__ import annotations

from jobs.relay.pace import GATHER_SECONDS, POLL_SECONDS, SOON_SECONDS, Pace

QUEUES = ["a", "b"]


def looked(*, moved: int, at: float = 100.0) -> Pace:
    """A pace whose relay has just looked at all queues, and handed out jobs of ``a``."""
    pace = Pace()
    pace.due(QUEUES, now=at)
    pace.note("a", now=at, moved=moved, batch=500)
    pace.note("b", now=at, moved=0, batch=500)
    return pace


def test_all_queues_are_looked_at_once_in_every_poll_interval() -> None:
    pace = looked(moved=0)
    assert pace.seconds_left(now=100.0) == POLL_SECONDS
    assert pace.due(QUEUES, now=100.4) == set()
    assert pace.due(QUEUES, now=100.0 + POLL_SECONDS) == {"a", "b"}


def test_a_bell_has_its_queue_looked_at_at_once_and_no_other() -> None:
    pace = looked(moved=0)
    pace.ring(["b"], now=100.1)
    assert pace.seconds_left(now=100.1) == 0
    assert pace.due(QUEUES, now=100.1) == {"b"}


def test_a_bell_right_after_jobs_were_handed_out_lets_more_of_them_gather() -> None:
    pace = looked(moved=3)
    pace.ring(["a", "b"], now=100.001)
    assert pace.due(QUEUES, now=100.001) == {"b"}
    assert pace.due(QUEUES, now=100.0 + GATHER_SECONDS) == {"a", "b"}


def test_a_queue_that_gave_a_full_batch_is_looked_at_again_without_a_pause() -> None:
    pace = looked(moved=500)
    assert pace.seconds_left(now=100.0) == 0
    assert pace.due(QUEUES, now=100.0) == {"a"}


def test_room_in_a_full_window_is_found_soon_and_looks_in_vain_grow_rare() -> None:
    pace = looked(moved=3)
    now, pauses = 100.0, []
    for _ in range(3):
        pauses.append(pace.seconds_left(now=now))
        now += pauses[-1]
        assert pace.due(QUEUES, now=now) == {"a"}
        pace.note("a", now=now, moved=0, batch=500)
    assert [round(pause / SOON_SECONDS) for pause in pauses] == [1, 2, 4]
    assert pace.seconds_left(now=now) <= POLL_SECONDS


def test_a_queue_of_which_nothing_came_any_more_costs_no_more_than_the_poll() -> None:
    pace = looked(moved=3)
    now = 100.0
    for _ in range(20):
        now += pace.seconds_left(now=now)
        for queue in pace.due(QUEUES, now=now):
            pace.note(queue, now=now, moved=0, batch=500)
    looks = sum(bool(pace.due(QUEUES, now=now + step / 100)) for step in range(1, 101))
    assert looks <= 1 / POLL_SECONDS + 1
