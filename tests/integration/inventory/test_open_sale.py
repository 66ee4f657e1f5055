"""The opening of a sale is announced once, at its instant, whatever became of the show meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from inventory.advance_show import advance_show
from inventory.models import Show
from inventory.plan_sale_opening import plan_sale_openings
from jobs.clock import database_now
from tests.fixtures_clock import Clock
from tests.sale_openings import DAY, HOUR, announcements, jobs_of, move, opened

pytestmark = pytest.mark.django_db


def test_the_opening_is_announced_once_at_its_instant_and_not_before(show_opening_tomorrow: Show, clock: Clock) -> None:
    show = show_opening_tomorrow
    clock.advance(show.on_sale_at - database_now() - timedelta(seconds=5))
    assert not opened(show)
    assert announcements(show) == []
    clock.advance(timedelta(seconds=5))
    assert opened(show)
    assert not opened(show)
    assert announcements(show) == [show.on_sale_at.isoformat()]


def test_a_job_that_runs_too_early_puts_itself_to_the_right_instant(show_opening_tomorrow: Show) -> None:
    jobs_of(show_opening_tomorrow).update(state="running")
    assert not opened(show_opening_tomorrow)
    again = jobs_of(show_opening_tomorrow, "waiting").get()
    assert again.available_at == show_opening_tomorrow.on_sale_at


@pytest.mark.parametrize("status", [Show.Status.CANCELLED, Show.Status.POSTPONED])
def test_the_job_of_a_show_that_was_stopped_finds_nothing_to_do(
    show_opening_tomorrow: Show, clock: Clock, status: Show.Status
) -> None:
    advance_show(show_id=show_opening_tomorrow.pk, to=status)
    clock.advance(2 * DAY)
    assert not opened(show_opening_tomorrow)
    assert announcements(show_opening_tomorrow) == []
    assert jobs_of(show_opening_tomorrow).count() == 1


def test_a_show_whose_opening_passed_while_it_was_postponed_opens_when_it_is_scheduled_again(
    make_show: Callable[..., Show], clock: Clock
) -> None:
    show = make_show(on_sale_at=database_now() + DAY)
    advance_show(show_id=show.pk, to=Show.Status.POSTPONED)
    clock.advance(2 * DAY)
    assert not opened(show)
    jobs_of(show).update(state="done")
    advance_show(show_id=show.pk, to=Show.Status.SCHEDULED)
    assert jobs_of(show, "waiting").get().gate == "ready"
    assert opened(show)
    assert announcements(show) == [show.on_sale_at.isoformat()]


def test_a_show_that_has_begun_announces_no_sale(show_opening_tomorrow: Show, clock: Clock) -> None:
    clock.advance(30 * DAY)
    assert not opened(show_opening_tomorrow)
    assert plan_sale_openings() == 0


def test_a_sale_that_is_moved_on_after_it_opened_opens_again_and_says_so_again(
    show_opening_tomorrow: Show, clock: Clock
) -> None:
    show = show_opening_tomorrow
    clock.advance(DAY)
    assert opened(show)
    jobs_of(show).update(state="done")
    second = database_now() + HOUR
    move(show, second)
    assert jobs_of(show, "waiting").get().available_at == second
    clock.advance(HOUR)
    assert opened(show)
    assert announcements(show) == [show.on_sale_at.isoformat(), second.isoformat()]


def test_a_sale_that_is_open_before_and_after_a_move_is_not_announced_again(
    show_opening_tomorrow: Show, clock: Clock
) -> None:
    show = show_opening_tomorrow
    clock.advance(2 * DAY)
    assert opened(show)
    jobs_of(show).update(state="done")
    for past in (show.on_sale_at - DAY, show.on_sale_at + HOUR):
        move(show, past)
        assert not opened(show)
    assert len(announcements(show)) == 1
    assert not jobs_of(show, "waiting").exists()
