"""How many workers a stream of jobs needs, and what a spike leaves behind."""

from __future__ import annotations

import math
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from jobs.sizing import Load, size

MINUTE = 60.0


@pytest.mark.parametrize(
    ("spike_rate", "spike_seconds", "rate", "backlog", "newest", "drained"),
    [
        (12_000, 300, 1_200, 2_700_000, 15 * MINUTE, 25 * MINUTE),
        (9_000, 600, 1_000, 3_600_000, 20 * MINUTE, 30 * MINUTE),
    ],
)
def test_a_spike_waits_and_is_worked_off_as_the_arithmetic_says(
    spike_rate: float, spike_seconds: float, rate: float, backlog: float, newest: float, drained: float
) -> None:
    found = size(Load(rate, 0.3, limit=3_000, spike_rate=spike_rate, spike_seconds=spike_seconds))
    assert found.capacity == pytest.approx(3_000)
    assert found.backlog == pytest.approx(backlog)
    assert found.newest_waits == pytest.approx(newest)
    assert found.drained_after == pytest.approx(drained)


def test_as_many_jobs_are_in_hand_as_arrive_while_one_runs() -> None:
    found = size(Load(rate=100, service_seconds=0.3))
    assert (found.in_hand, found.needed, found.useful) == (pytest.approx(30), 38, None)


def test_more_workers_than_the_provider_takes_send_no_faster() -> None:
    enough = size(Load(rate=50, service_seconds=0.3, limit=100))
    assert (enough.useful, enough.capacity) == (30, pytest.approx(100))
    assert size(Load(rate=50, service_seconds=0.3, limit=100, places=600)).capacity == 100
    assert size(Load(rate=50, service_seconds=0.3, limit=100, places=15)).capacity == pytest.approx(50)


def test_where_as_much_arrives_as_leaves_a_backlog_stays_for_ever() -> None:
    found = size(Load(rate=100, service_seconds=0.1, limit=100, spike_rate=200, spike_seconds=10))
    assert (found.backlog, found.drained_after) == (1000, math.inf)


@pytest.mark.parametrize("wrong", [{"rate": -1}, {"service_seconds": 0}, {"limit": 0}, {"places": 0}])
def test_what_cannot_be_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must"):
        Load(**{"rate": 1, "service_seconds": 1, **wrong})


rates = st.floats(0.1, 1e5)


@given(rates, st.floats(0.001, 60), rates, rates, st.floats(0, 1e5), st.integers(1, 10_000))
def test_a_place_more_never_leaves_more_waiting(
    rate: float, service: float, limit: float, spike_rate: float, spike_seconds: float, places: int
) -> None:
    fewer, more = (
        size(Load(rate, service, limit, spike_rate, spike_seconds, places=count)) for count in (places, places + 1)
    )
    assert more.backlog <= fewer.backlog
    assert more.capacity <= limit
    assert more.drained_after <= fewer.drained_after


def told(*options: str) -> str:
    out = StringIO()
    call_command("size_workers", *options, stdout=out)
    return out.getvalue()


def test_the_command_says_all_of_it_in_words() -> None:
    said = told(
        *("--rate", "1200", "--service-ms", "300", "--limit", "3000", "--spike-rate", "12000", "--spike-s", "300")
    )
    for part in ("360.0 jobs in hand", "900 places use that up", "2,700,000 jobs waiting", "15 min", "after 25 min"):
        assert part in said
    assert "do not send faster" in said


def test_the_command_says_when_the_places_are_too_few_for_ordinary_times() -> None:
    said = told("--rate", "60", "--service-ms", "300", "--places", "1")
    assert "With 1 place, 3.33/s leave." in said
    assert "what waits is never worked off" in said
    assert "never worked off" not in told("--rate", "60", "--service-ms", "300", "--limit", "100")


def test_the_command_writes_large_numbers_out() -> None:
    assert "At 1,250,000/s, 300 ms each" in told("--rate", "1250000", "--service-ms", "300")


def test_the_command_refuses_a_pool_that_there_is_not() -> None:
    with pytest.raises(CommandError, match="There is no pool nowhere"):
        told("--rate", "1", "--service-ms", "1", "--pool", "nowhere")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (("--rate", "nan", "--service-ms", "1"), "must be numbers"),
        (("--rate", "inf", "--service-ms", "1"), "must be numbers"),
        (("--rate", "1e308", "--service-ms", "1e308"), "must be numbers"),
        (("--rate", "1", "--service-ms", "1", "--limit", "nan"), "must be numbers"),
        (("--rate", "1", "--service-ms", "1", "--spike-rate", "9"), "give both"),
    ],
)
def test_the_command_refuses_what_nobody_can_calculate_with(given: tuple[str, ...], says: str) -> None:
    with pytest.raises(CommandError, match=says):
        told(*given)
