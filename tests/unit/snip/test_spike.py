"""What a spike of clicks leaves, and the drawing of it."""

from __future__ import annotations

import math

import pytest

from snip.spike.arithmetic import Sample, counters_needed, law_of, reckon
from snip.spike.draw import backlog_curve, chart, sparkline, svg


@pytest.mark.parametrize(
    ("rate", "spike", "seconds", "capacity", "left", "oldest", "newest", "drained"),
    [
        (2_000, 20_000, 120, 15_000, 600_000, 30, 40, 46.15),
        (3_000, 30_000, 60, 40_000, 0, 0, 0, 0),
        (4_000, 40_000, 100, 20_000, 2_000_000, 50, 100, 125),
        (1_000, 10_000, 60, 1_000, 540_000, 54, 540, math.inf),
    ],
)
def test_a_spike_leaves_what_was_not_counted_and_ordinary_times_work_it_off(
    rate: float,
    spike: float,
    seconds: float,
    capacity: float,
    left: float,
    oldest: float,
    newest: float,
    drained: float,
) -> None:
    found = reckon(rate=rate, spike_rate=spike, seconds=seconds, capacity=capacity)

    assert found.backlog == pytest.approx(left)
    assert found.oldest_age == pytest.approx(oldest)
    assert found.newest_waits == pytest.approx(newest)
    assert found.drained_after == pytest.approx(drained, rel=1e-3)


@pytest.mark.parametrize(
    ("rate", "capacity", "needed"), [(0, 20_000, 1), (16_000, 20_000, 1), (16_001, 20_000, 2), (100_000, 20_000, 7)]
)
def test_counters_are_busy_for_four_fifths_of_their_time_at_most(rate: float, capacity: float, needed: int) -> None:
    assert counters_needed(rate=rate, capacity=capacity, busy=0.8) == needed


def test_little_s_law_holds_for_clicks_that_come_evenly_and_wait_the_same() -> None:
    """100 clicks a second that wait two seconds each: 200 of them at any moment."""
    steady = [Sample(at=float(at), written=200 + 100 * at, waiting=200, age=2.0) for at in range(11)]

    law = law_of(steady)

    assert (law.waiting, law.rate, law.waits, law.product) == (200, 100, 2, 200)


def test_little_s_law_holds_for_a_spike_that_drains() -> None:
    """200 a second for ten seconds, of which 100 are counted, and none for the ten that follow."""
    growing = [Sample(at=at, written=200 * at, waiting=100 * at, age=at / 2) for at in range(11)]
    draining = [Sample(at=at, written=2000, waiting=2000 - 100 * at, age=at / 2) for at in range(11, 21)]

    law = law_of([*growing, *draining])

    assert law.waiting == pytest.approx(500)
    assert law.product == pytest.approx(500, rel=0.01)


def test_a_run_that_was_broken_off_at_once_says_nothing() -> None:
    assert law_of([]).waiting == law_of([Sample(0, 5, 5, 1)]).product == 0


def test_the_drawing_shows_what_was_measured_in_blocks_and_what_was_reckoned_in_dots() -> None:
    samples = [Sample(float(at), 0, min(at, 20 - at) * 100, 0.0) for at in range(21)]
    curve = backlog_curve(began=0, ended=10, backlog=2000, drained_after=10)

    *rows, axis, _ = chart(samples, curve, width=21, height=4)

    assert [row.partition("│")[2] for row in rows] == [
        "        ·····",
        "     ···     ···",
        "   ·· ▂▃▅▆█▆▅▃▂ ··",
        " ○○▅▆███████████▆▅○○",
    ]
    assert "2,000 │" in rows[0]
    assert axis.endswith("└" + "─" * 21)
    assert sparkline([0, 1, 2, 4], width=4) == " ▂▄█"
    assert svg(samples, curve).count("<polyline") == 2
