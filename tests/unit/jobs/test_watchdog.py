"""When a worker is taken for deaf, and when not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jobs.worker.watchdog import LOOKS, Judge, Verdict


class Looks:
    """Looks at a worker, one second after the other."""

    def __init__(self) -> None:
        self.judge = Judge(interval=1)
        self.now = 1000.0
        self.received = 0

    def look(
        self,
        *,
        after: float = 1,
        received: int = 0,
        has_room: bool = True,
        ready: Callable[[], int | None] = lambda: 5,
    ) -> Verdict:
        self.now += after
        self.received += received
        return self.judge.look(now=self.now, received=self.received, has_room=has_room, ready=ready)


@pytest.fixture
def looks() -> Looks:
    looks = Looks()
    looks.look()  # the first has nothing to compare with
    return looks


def test_a_worker_with_room_that_receives_nothing_while_messages_wait_connects_anew_and_then_starts_over(
    looks: Looks,
) -> None:
    verdicts = [looks.look() for _ in range(2 * LOOKS)]
    quiet = [Verdict.NOTHING] * (LOOKS - 1)
    assert verdicts == [*quiet, Verdict.RECONNECT, *quiet, Verdict.RESTART]


@pytest.mark.parametrize(
    "look",
    [
        {"received": 1},
        {"has_room": False},
        {"ready": lambda: 0},
        {"ready": lambda: None},
        {"after": 60},
    ],
    ids=["it hears", "it is busy", "nothing waits", "the broker cannot be asked", "it was paused"],
)
def test_one_look_that_says_otherwise_clears_the_worker(looks: Looks, look: dict[str, object]) -> None:
    for _ in range(3):
        verdicts = {looks.look() for _ in range(LOOKS - 1)}
        assert verdicts == {Verdict.NOTHING}
        assert looks.look(**look) is Verdict.NOTHING  # type: ignore[arg-type]


def test_a_worker_that_has_heard_since_it_connected_anew_is_given_another_chance(looks: Looks) -> None:
    assert [looks.look() for _ in range(LOOKS)][-1] is Verdict.RECONNECT
    looks.look(received=1)
    assert [looks.look() for _ in range(LOOKS)][-1] is Verdict.RECONNECT


def test_the_broker_is_not_asked_while_the_worker_is_busy_or_hears(looks: Looks) -> None:
    def unasked() -> int:
        raise AssertionError("asked")

    looks.look(received=1, ready=unasked)
    looks.look(has_room=False, ready=unasked)
