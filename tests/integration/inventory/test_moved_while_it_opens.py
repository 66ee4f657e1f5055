"""An opening that is moved while a worker has its job in hand, and openings announced by several at once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from threading import Event, Thread

import pytest
from django.db import connection, transaction

from inventory.models import SaleOpening, Show
from inventory.open_sale import open_sale
from inventory.transitions import lock_show_on_sale
from jobs.models import Job
from jobs.worker.execution import Outcome
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import all_at_once
from tests.processes import wait_for
from tests.sale_openings import DAY, HOUR, announcements, jobs_of, move, opened, published
from tests.waiting_sessions import somebody_waits_for_us

pytestmark = pytest.mark.django_db

real_commits = pytest.mark.django_db(transaction=True)


@real_commits
@pytest.mark.parametrize("by", [DAY, -HOUR], ids=["later", "earlier"])
def test_an_opening_that_is_moved_while_its_job_is_with_the_broker_opens_once_at_the_new_instant(
    show_opening_tomorrow: Show, clock: Clock, work: Callable[[int], Outcome], by: timedelta
) -> None:
    show = show_opening_tomorrow
    clock.advance(DAY)
    first = published(show)
    new = show.on_sale_at + by
    move(show, new)
    work(first)
    if by > timedelta():
        assert announcements(show) == []
        assert jobs_of(show, "waiting").get().available_at == new
        clock.advance(by)
        work(published(show))
    assert announcements(show) == [new.isoformat()]
    assert not jobs_of(show, "waiting", "published", "running").exists()


@real_commits
@pytest.mark.parametrize("by", [DAY, -HOUR], ids=["later", "earlier"])
@pytest.mark.parametrize("has_begun", [False, True], ids=["begins", "runs"])
def test_an_opening_that_is_moved_while_its_job_begins_or_runs_opens_once_at_the_new_instant(
    show_opening_tomorrow: Show, clock: Clock, work: Callable[[int], Outcome], by: timedelta, has_begun: bool
) -> None:
    show = show_opening_tomorrow
    clock.advance(DAY)
    new = show.on_sale_at + by
    job_id = published(show)
    if has_begun:
        Job.objects.filter(pk=job_id).update(state="running")
    run = Thread(target=in_a_thread, args=[partial(opened, show) if has_begun else partial(work, job_id)])
    with transaction.atomic():
        move(show, new)
        run.start()
        wait_for(somebody_waits_for_us, what="somebody waits for this transaction")
    run.join(30)
    if by > timedelta():
        assert announcements(show) == []
        assert jobs_of(show, "waiting").get().available_at == new
        clock.advance(by)
    for _ in range(jobs_of(show, "waiting").count()):
        work(published(show))
    assert announcements(show) == [new.isoformat()]


@real_commits
def test_two_runs_at_once_announce_an_opening_once(show_opening_tomorrow: Show, clock: Clock) -> None:
    clock.advance(DAY)
    outcomes = all_at_once([partial(opened, show_opening_tomorrow)] * 8, threads=8)
    assert sorted(outcomes, key=str) == [False] * 7 + [True]
    assert len(announcements(show_opening_tomorrow)) == SaleOpening.objects.count() == 1


@real_commits
def test_the_announcement_neither_waits_for_fans_who_hold_seats_nor_makes_them_wait(
    show_opening_tomorrow: Show, clock: Clock
) -> None:
    show = show_opening_tomorrow
    clock.advance(DAY)
    holding, done = Event(), Event()

    def hold() -> None:
        with transaction.atomic():
            assert lock_show_on_sale(show_id=show.pk)
            holding.set()
            done.wait(30)

    fan = Thread(target=in_a_thread, args=[hold])
    fan.start()
    assert holding.wait(30)
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL lock_timeout = '2s'")
            assert open_sale(show_id=show.pk)
            another: list[bool] = []
            second = Thread(target=in_a_thread, args=[lambda: another.append(shares_the_lock(show))])
            second.start()
            second.join(30)
            assert another == [True]
    finally:
        done.set()
        fan.join(30)


def in_a_thread(call: Callable[[], object]) -> None:
    """Run the call on a connection of its own, which is closed afterwards."""
    try:
        call()
    finally:
        connection.close()


def shares_the_lock(show: Show) -> bool:
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '2s'")
        return lock_show_on_sale(show_id=show.pk)
