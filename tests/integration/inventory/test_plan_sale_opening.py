"""The job that waits for the opening of a sale: there is one at the right instant, wherever that is moved to."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from inventory.advance_show import advance_show
from inventory.errors import ShowRefused, UnknownShow
from inventory.models import SaleOpening, Show
from inventory.move_sale_opening import move_sale_opening
from inventory.plan_sale_opening import plan_sale_opening, plan_sale_openings
from jobs.clock import database_now
from jobs.errors import NotInTransaction
from jobs.models import Job
from tests.fixtures_clock import Clock
from tests.sale_openings import DAY, HOUR, jobs_of, move, opened

pytestmark = pytest.mark.django_db


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


def test_planning_outside_a_transaction_is_refused(show_opening_tomorrow: Show, transactional_db: None) -> None:
    with pytest.raises(NotInTransaction):
        plan_sale_opening(show_id=show_opening_tomorrow.pk)


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
