"""A destination's jobs go out at the rate that its provider takes, however many wait and however many relays look."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from jobs import transitions
from jobs.clock import database_now
from jobs.flow.allowance import BURST_SECONDS, FARTHEST_SECONDS, spend
from jobs.flow.limits import read_limits
from jobs.models import Allowance
from jobs.relay.loop import Relay
from jobs.session import engine_session
from tests.fixtures_clock import Clock
from tests.fixtures_flow import NAME, Provider
from tests.fixtures_relay import enqueue_many
from tests.ledger import real_commits

pytestmark = real_commits

RATE = 40.0
BURST = int(RATE * BURST_SECONDS)
MANY = 200


@pytest.fixture
def paced(provider: Provider, settings: Any) -> Provider:
    """The scratch destination, of which nothing but the rate is a limit."""
    set_rate(settings, RATE)
    return provider


def set_rate(settings: Any, rate: float | None) -> None:
    settings.LEDGER_DESTINATIONS = tuple(
        replace(destination, rate_per_second=rate) if destination.name == NAME else destination
        for destination in settings.LEDGER_DESTINATIONS
    )


def look() -> int:
    """How many jobs a relay hands out at one look, written down as it does."""
    engine_session("default")
    allowance = read_limits(using="default").allowance
    marked = transitions.mark_due(using="default", queue="probe", window=1000, batch=500, allowance=allowance)
    spend(using="default", destination=NAME, jobs=len(marked.messages))
    return len(marked.messages)


def test_after_a_rest_a_burst_goes_out_and_then_the_rate(paced: Provider, clock: Clock) -> None:
    paced.enqueue(*(str(number) for number in range(MANY)))
    assert look() == BURST
    began, handed_out = database_now(), 0
    for _ in range(40):
        clock.advance(timedelta(milliseconds=50))
        handed_out += look()
    # The clock has moved by two seconds, and by what the statements themselves took.
    due = RATE * (database_now() - began).total_seconds()
    assert due - BURST / 2 <= handed_out <= due + BURST / 2


def test_looks_that_come_late_lose_nothing_up_to_a_burst_and_save_nothing_up_beyond(
    paced: Provider, clock: Clock
) -> None:
    paced.enqueue(*(str(number) for number in range(MANY)))
    look()
    clock.advance(timedelta(seconds=BURST_SECONDS))
    assert BURST - 1 <= look() <= BURST
    clock.advance(timedelta(hours=1))
    assert look() == BURST


def test_two_relays_that_look_at_once_give_less_afterwards(paced: Provider, clock: Clock) -> None:
    paced.enqueue(*(str(number) for number in range(MANY)))
    for _ in range(4):
        spend(using="default", destination=NAME, jobs=BURST)
    clock.advance(timedelta(seconds=BURST_SECONDS))
    assert look() == 0
    clock.advance(timedelta(seconds=3 * BURST_SECONDS))
    assert BURST - 1 <= look() <= BURST


def test_jobs_that_call_nobody_or_a_provider_without_a_rate_are_not_held_back(paced: Provider, settings: Any) -> None:
    paced.enqueue(*(str(number) for number in range(MANY)))
    enqueue_many(MANY)
    assert look() == BURST + MANY
    set_rate(settings, None)
    assert look() == MANY - BURST


def test_a_provider_of_one_call_in_two_seconds_gets_one(paced: Provider, settings: Any, clock: Clock) -> None:
    set_rate(settings, 0.5)
    paced.enqueue(*(str(number) for number in range(5)))
    assert (look(), look()) == (1, 0)
    clock.advance(timedelta(seconds=1))
    assert look() == 0
    clock.advance(timedelta(seconds=1))
    assert look() == 1


def test_a_clock_that_was_set_back_stops_nothing(paced: Provider, clock: Clock) -> None:
    paced.enqueue(*(str(number) for number in range(MANY)))
    look()
    clock.advance(timedelta(days=-1))
    assert look() == BURST
    with connection.cursor() as cursor:
        cursor.execute("SELECT extract(epoch FROM spent_until - jobs_now())::float8 FROM jobs_allowance")
        ((ahead,),) = cursor.fetchall()
    assert ahead < FARTHEST_SECONDS


def test_a_relay_writes_down_what_it_hands_out_and_holds_to_it_between_two_readings(
    relay_here: Relay, paced: Provider
) -> None:
    paced.enqueue(*(str(number) for number in range(MANY)))
    relay_here.run_once()
    relay_here._next_limits = float("inf")
    assert Allowance.objects.get().destination == NAME
    assert relay_here.run_once() == 0
