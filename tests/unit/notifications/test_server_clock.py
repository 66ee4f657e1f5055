"""Where another machine's clock stands is known as well as its quickest answer allows, never worse than the last."""

from __future__ import annotations

import pytest

from notifications.limits.server_clock import ServerClock

AHEAD = 1000.0
"""Ours is ahead of the server's by so much."""


def ask(clock: ServerClock, at: float, *, way_there: float, way_back: float, ahead: float = AHEAD) -> float:
    return clock.note(asked=at, answered=at + way_there + way_back, told=at + way_there - ahead)


def test_an_answer_that_was_read_late_is_set_right_by_a_quick_one_from_before() -> None:
    clock = ServerClock()
    assert ask(clock, 5000, way_there=0.001, way_back=0.2) == pytest.approx(AHEAD + 0.2)
    assert ask(clock, 5001, way_there=0.001, way_back=0.001) == pytest.approx(AHEAD + 0.001)
    assert ask(clock, 5002, way_there=0.001, way_back=0.2) == pytest.approx(AHEAD + 0.001, abs=0.001)


def test_a_question_that_went_out_late_says_nothing_wrong() -> None:
    clock = ServerClock()
    ask(clock, 5000, way_there=0.001, way_back=0.001)
    assert ask(clock, 5001, way_there=0.3, way_back=0.001) == pytest.approx(AHEAD + 0.001, abs=0.001)


@pytest.mark.parametrize("by", [-3600.0, -0.5, 0.5, 3600.0])
def test_a_clock_that_was_set_is_believed_at_its_next_answer(by: float) -> None:
    clock = ServerClock()
    ask(clock, 5000, way_there=0.001, way_back=0.001)
    found = ask(clock, 5001, way_there=0.01, way_back=0.02, ahead=AHEAD + by)
    assert AHEAD + by - 0.01 <= round(found, 6) <= AHEAD + by + 0.02


def test_clocks_that_run_apart_are_followed() -> None:
    clock, ahead, found = ServerClock(), AHEAD, 0.0
    for second in range(1000):
        ahead += 5e-5
        found = ask(clock, 5000 + second, way_there=0.001, way_back=0.001, ahead=ahead)
    assert found == pytest.approx(ahead + 0.001, abs=0.001)
