"""The job that waits for the opening of a sale: there is one at the right instant, wherever that is moved to."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from importlib import import_module
from threading import Event, Thread
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import QuerySet
from django.test import Client
from django.urls import reverse

from inventory.advance_show import advance_show
from inventory.errors import ShowRefused, UnknownShow
from inventory.models import SaleOpening, Show
from inventory.move_sale_opening import move_sale_opening
from inventory.open_sale import open_sale
from inventory.plan_sale_opening import plan_sale_opening, plan_sale_openings
from inventory.transitions import lock_show_on_sale
from jobs import gates, transitions
from jobs.clock import database_now
from jobs.errors import NotInTransaction
from jobs.models import Job
from jobs.session import engine_session
from jobs.worker.execution import Outcome
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import all_at_once
from tests.processes import wait_for

pytestmark = pytest.mark.django_db

real_commits = pytest.mark.django_db(transaction=True)

WAITING_FOR_US = "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)


def jobs_of(show: Show, *states: str) -> QuerySet[Job]:
    """The jobs that wait for the show's opening, or did."""
    jobs = Job.objects.filter(task="inventory.open_sale", subject=show.subject).order_by("pk")
    return jobs.filter(state__in=states) if states else jobs


def announcements(show: Show) -> list[str]:
    """Of which openings the show's SaleOpened told."""
    told = Job.objects.filter(task="boxoffice.tell_sale_opened", subject=show.subject).order_by("pk")
    return [job.args["on_sale_at"] for job in told]


def opened(show: Show) -> bool:
    """What the job does, in a transaction of its own."""
    with transaction.atomic():
        return open_sale(show_id=show.pk)


def published(show: Show) -> int:
    """Hand the show's due job out, as a relay does; return its id."""
    engine_session("default")
    gates.open_later(using="default")
    transitions.mark_due(using="default", queue="default", window=1000, batch=1000)
    return jobs_of(show, "published").get().pk


def move(show: Show, to: datetime) -> None:
    move_sale_opening(show_id=show.pk, on_sale_at=to)


def test_a_show_that_is_scheduled_before_its_opening_has_one_job_at_that_instant(show_opening_tomorrow: Show) -> None:
    job = jobs_of(show_opening_tomorrow).get()
    assert (job.available_at, job.gate) == (show_opening_tomorrow.on_sale_at, "later")
    assert job.args == {"show_id": show_opening_tomorrow.pk}


def test_a_draft_and_a_show_that_sells_as_soon_as_it_is_scheduled_have_no_job_and_announce_nothing(
    draft_show: Show, show_on_sale: Show
) -> None:
    assert plan_sale_openings() == 0
    assert not opened(draft_show)
    assert not opened(show_on_sale)
    assert not Job.objects.exists()


@pytest.mark.parametrize("by", [2 * DAY, -HOUR, -3 * DAY], ids=["later", "earlier", "into the past"])
def test_moving_the_opening_moves_the_job(show_opening_tomorrow: Show, by: timedelta) -> None:
    job_id = jobs_of(show_opening_tomorrow).get().pk
    new = show_opening_tomorrow.on_sale_at + by
    move(show_opening_tomorrow, new)
    job = jobs_of(show_opening_tomorrow).get()
    assert (job.pk, job.available_at, job.state) == (job_id, new, "waiting")
    assert job.gate == ("ready" if new < database_now() else "later")


def test_the_move_of_the_opening_and_of_the_job_share_one_fate(show_opening_tomorrow: Show) -> None:
    before = show_opening_tomorrow.on_sale_at
    with transaction.atomic():
        move(show_opening_tomorrow, before + DAY)
        transaction.set_rollback(True)
    show_opening_tomorrow.refresh_from_db()
    assert show_opening_tomorrow.on_sale_at == jobs_of(show_opening_tomorrow).get().available_at == before


def test_the_move_of_a_drafts_opening_enqueues_nothing_until_it_is_scheduled(draft_show: Show) -> None:
    move(draft_show, database_now() + DAY)
    assert not Job.objects.exists()
    advance_show(show_id=draft_show.pk, to=Show.Status.SCHEDULED)
    draft_show.refresh_from_db()
    assert jobs_of(draft_show).get().available_at == draft_show.on_sale_at


def test_an_opening_after_the_start_and_an_unknown_show_are_refused(show_opening_tomorrow: Show) -> None:
    before = jobs_of(show_opening_tomorrow).values().get()
    with pytest.raises(ShowRefused, match="must open before the show starts"):
        move(show_opening_tomorrow, show_opening_tomorrow.starts_at)
    with pytest.raises(UnknownShow):
        move_sale_opening(show_id=987654321, on_sale_at=database_now())
    assert jobs_of(show_opening_tomorrow).values().get() == before


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


def test_planning_outside_a_transaction_is_refused(show_opening_tomorrow: Show, transactional_db: None) -> None:
    with pytest.raises(NotInTransaction):
        plan_sale_opening(show_id=show_opening_tomorrow.pk)


# While a worker has the job in hand


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
        until_somebody_waits_for_us()
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


# Openings without a job


def test_an_opening_that_was_moved_by_hand_or_whose_job_is_gone_gets_its_job_again(
    make_show: Callable[..., Show], show_on_sale: Show
) -> None:
    tomorrow = database_now() + DAY
    moved, lost, dead, right = (make_show(f"Show {n}", on_sale_at=tomorrow) for n in range(4))
    Show.objects.filter(pk=moved.pk).update(on_sale_at=tomorrow + DAY)
    jobs_of(lost).delete()
    jobs_of(dead).update(state="dead")
    assert plan_sale_openings() == 3
    assert jobs_of(moved).get().available_at == tomorrow + DAY
    for show in (lost, dead, right):
        assert jobs_of(show, "waiting").get().available_at == tomorrow
    assert plan_sale_openings() == 0
    assert not jobs_of(show_on_sale).exists()


def test_an_opening_that_nobody_announced_is_announced_late_rather_than_never(
    show_opening_tomorrow: Show, clock: Clock
) -> None:
    jobs_of(show_opening_tomorrow).delete()
    clock.advance(2 * DAY)
    assert plan_sale_openings() == 1
    assert opened(show_opening_tomorrow)
    assert plan_sale_openings() == 0


def test_sales_that_were_open_before_openings_were_announced_are_not_announced_after_the_fact(
    show_on_sale: Show, show_opening_tomorrow: Show, draft_show: Show
) -> None:
    SaleOpening.objects.all().delete()
    migration = import_module("inventory.migrations.0002_sale_openings")
    with connection.cursor() as cursor:
        cursor.execute(migration.NOTE_OPEN_SALES)
    assert list(SaleOpening.objects.values_list("show", flat=True)) == [show_on_sale.pk]
    jobs_of(show_opening_tomorrow).delete()
    assert plan_sale_openings() == 1
    assert jobs_of(show_opening_tomorrow).exists()


# Staff


def show_form(show: Show, **given: str) -> dict[str, Any]:
    local = show.on_sale_at_local
    return {
        "title": show.title,
        "on_sale_at_0": f"{local:%Y-%m-%d}",
        "on_sale_at_1": f"{local:%H:%M:%S}",
        "tiers-TOTAL_FORMS": "0",
        "tiers-INITIAL_FORMS": "0",
        **given,
    }


def test_staff_who_move_the_opening_move_the_job(staff: Client, show_opening_tomorrow: Show) -> None:
    show = show_opening_tomorrow
    new = show.on_sale_at_local + DAY
    form = show_form(show, on_sale_at_0=f"{new:%Y-%m-%d}")
    assert staff.post(reverse("admin:inventory_show_change", args=[show.pk]), form).status_code == 302
    show.refresh_from_db()
    assert show.on_sale_at == new.replace(microsecond=0)
    assert jobs_of(show).get().available_at == show.on_sale_at


def test_staff_who_change_something_else_leave_the_job_alone(staff: Client, show_opening_tomorrow: Show) -> None:
    show = show_opening_tomorrow
    before = jobs_of(show).values().get()
    staff.post(reverse("admin:inventory_show_change", args=[show.pk]), show_form(show, title="Paper Ships"))
    show.refresh_from_db()
    assert show.title == "Paper Ships"
    assert jobs_of(show).values().get() == before


def test_a_job_about_a_show_leads_to_the_shows_page(staff: Client, show_opening_tomorrow: Show) -> None:
    job = jobs_of(show_opening_tomorrow).get()
    page = staff.get(reverse("admin:jobs_job_change", args=[job.pk])).content.decode()
    assert reverse("admin:inventory_show_change", args=[show_opening_tomorrow.pk]) in page


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


def until_somebody_waits_for_us() -> None:
    def waits() -> bool:
        with connection.cursor() as cursor:
            cursor.execute(WAITING_FOR_US)
            return bool(cursor.fetchone()[0])

    wait_for(waits, what="somebody waits for this transaction")
