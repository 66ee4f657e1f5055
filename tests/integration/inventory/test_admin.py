"""The staff's pages for venues, plans and shows, through the real admin site."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from inventory.advance_show import advance_show
from inventory.hold_seats import hold_seats
from inventory.models import Availability, Hold, Seat, SeatingPlan, Show, Venue
from jobs.models import Job
from tests.fixtures_inventory import let_lapse, plan_document, seat_ids

pytestmark = pytest.mark.django_db


def show_form(plan: SeatingPlan, **given: str) -> dict[str, str]:
    return {
        "plan": str(plan.pk),
        "title": "Nightbirds",
        "starts_at_0": "2099-12-12",
        "starts_at_1": "19:30",
        "on_sale_at_0": "2026-01-05",
        "on_sale_at_1": "10:00",
        "currency": "eur",
        **given,
    }


def run(staff: Client, action: str, show: Show) -> str:
    """The page that answers an action on one show."""
    form = {"action": action, "_selected_action": [show.pk]}
    return staff.post(reverse("admin:inventory_show_changelist"), form, follow=True).content.decode()


@pytest.mark.parametrize("model", ["venue", "seatingplan", "show", "seat", "hold"])
def test_every_list_opens(staff: Client, show_on_sale: Show, held_seats: Hold, model: str) -> None:
    assert staff.get(reverse(f"admin:inventory_{model}_changelist")).status_code == 200


def test_every_row_opens_and_none_shows_the_secret_of_a_hold(
    staff: Client, show_on_sale: Show, held_seats: Hold, plan: SeatingPlan
) -> None:
    for row in (show_on_sale, held_seats, held_seats.seats.first(), plan, plan.venue):
        page = staff.get(reverse(f"admin:inventory_{row._meta.model_name}_change", args=[row.pk]))
        assert page.status_code == 200
        assert str(held_seats.token) not in page.content.decode()


def test_a_plan_is_taken_in_from_a_file(staff: Client, venue: Venue) -> None:
    file = SimpleUploadedFile("plan.json", json.dumps(plan_document()).encode())

    staff.post(reverse("admin:inventory_seatingplan_add"), {"venue": venue.pk, "file": file, "name": ""})

    plan = SeatingPlan.objects.get()
    assert (plan.name, plan.seat_count) == ("Small hall", 32)


def test_a_broken_plan_is_refused_at_its_field_with_the_path(staff: Client, venue: Venue) -> None:
    document = plan_document()
    document["zones"][0]["rows"][3]["seats"][7]["category"] = "Royal box"
    file = SimpleUploadedFile("plan.json", json.dumps(document).encode())

    page = staff.post(reverse("admin:inventory_seatingplan_add"), {"venue": venue.pk, "file": file, "name": ""})

    assert "zones[0].rows[3].seats[7].category: “Royal box”" in page.content.decode()
    assert not SeatingPlan.objects.exists()


def test_no_list_of_plans_reads_their_documents_which_are_megabytes(staff: Client, plan: SeatingPlan) -> None:
    for page in ("seatingplan_changelist", "show_add"):
        with CaptureQueriesContext(connection) as queries:
            assert plan.name in staff.get(reverse(f"admin:inventory_{page}")).content.decode()
        assert not [query["sql"] for query in queries if '"document"' in query["sql"]]


def test_a_second_plan_of_one_name_is_refused(staff: Client, plan: SeatingPlan) -> None:
    file = SimpleUploadedFile("plan.json", json.dumps(plan_document(rows="AB")).encode())

    page = staff.post(reverse("admin:inventory_seatingplan_add"), {"venue": plan.venue_id, "file": file, "name": ""})

    assert page.status_code == 200
    assert "already exists" in page.content.decode()
    assert SeatingPlan.objects.count() == 1


def test_a_show_is_made_from_a_plan_with_times_typed_as_the_venues(staff: Client, plan: SeatingPlan) -> None:
    answer = staff.post(reverse("admin:inventory_show_add"), show_form(plan))

    assert answer.status_code == 302
    show = Show.objects.get()
    assert show.starts_at == datetime(2099, 12, 12, 18, 30, tzinfo=UTC)
    assert show.doors_at == datetime(2099, 12, 12, 18, 0, tzinfo=UTC)
    assert (show.status, show.currency, show.slug) == ("draft", "EUR", "nightbirds-2099-12-12")
    assert show.seats.count() == 32
    assert set(show.tiers.values_list("name", "price")) == {("Front", 0), ("House", 0)}
    page = staff.get(reverse("admin:inventory_show_change", args=[show.pk])).content.decode()
    assert 'value="19:30:00"' in page
    assert page.count("Berlin time, where the venue is.") == 3


def test_a_show_whose_sale_opens_after_it_starts_is_refused_at_the_form(staff: Client, plan: SeatingPlan) -> None:
    form = show_form(plan, on_sale_at_0="2100-01-01")

    page = staff.post(reverse("admin:inventory_show_add"), form)

    assert "The sale must open before the show starts." in page.content.decode()
    assert not Show.objects.exists()


def test_a_draft_is_put_on_sale_and_sells(staff: Client, draft_show: Show) -> None:
    page = run(staff, "put_on_sale", draft_show)

    assert "1 show is now scheduled." in page
    draft_show.refresh_from_db()
    assert (draft_show.status, draft_show.version) == ("scheduled", 2)


def test_a_show_that_is_over_cannot_be_put_on_sale_again(staff: Client, show_on_sale: Show) -> None:
    run(staff, "mark_as_over", show_on_sale)

    page = run(staff, "put_on_sale", show_on_sale)

    assert "“Nightbirds” is over and stays so." in page


def test_saving_the_form_keeps_a_state_that_moved_on_meanwhile(staff: Client, make_show: Callable[..., Show]) -> None:
    show = make_show()
    form = {
        "title": "Nightbirds, again",
        "subtitle": "",
        "description": "",
        "on_sale_at_0": "2026-01-05",
        "on_sale_at_1": "10:00",
        "tiers-TOTAL_FORMS": "2",
        "tiers-INITIAL_FORMS": "2",
        **{
            f"tiers-{nth}-{key}": str(value)
            for nth, tier in enumerate(show.tiers.all())
            for key, value in {
                "id": tier.pk,
                "show": show.pk,
                "name": tier.name,
                "price": "12.00",
                "color": tier.color,
                "position": tier.position,
            }.items()
        },
        "tiers-1-wheelchair": "on",
    }

    answer = staff.post(reverse("admin:inventory_show_change", args=[show.pk]), form)

    assert answer.status_code == 302
    before = show.version
    show.refresh_from_db()
    assert show.title == "Nightbirds, again"
    assert show.on_sale_at == datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
    assert (show.status, show.version) == ("scheduled", before + 1)
    assert set(show.tiers.values_list("price", flat=True)) == {1200}
    assert list(show.tiers.values_list("wheelchair", flat=True)) == [False, True]
    assert Availability.objects.get(show=show).price_from == 1200, "the list tells it at once"


def test_seats_holds_and_announced_shows_cannot_be_changed_or_deleted_by_hand(
    staff: Client, show_on_sale: Show, held_seats: Hold
) -> None:
    for row in (show_on_sale, held_seats, Seat.objects.first()):
        address = reverse(f"admin:inventory_{row._meta.model_name}_delete", args=[row.pk])
        assert staff.post(address, {"post": "yes"}).status_code == 403
    assert staff.get(reverse("admin:inventory_seat_add")).status_code == 403
    assert Seat.objects.count() == 32


def test_a_postponed_show_goes_on_by_its_own_page_only_and_its_date_is_changed_by_no_form(
    staff: Client, show_on_sale: Show
) -> None:
    # Whoever has tickets would not hear of it: its own page moves it, and tells them.
    advance_show(show_id=show_on_sale.pk, to=Show.Status.POSTPONED)
    address = reverse("admin:inventory_show_change", args=[show_on_sale.pk])
    page = staff.get(address).content.decode()

    assert 'name="starts_at_0"' not in page
    assert reverse("admin:inventory_show_move", args=[show_on_sale.pk]) in page
    assert "is postponed. Put it on sale on its page" in run(staff, "put_on_sale", show_on_sale)
    show_on_sale.refresh_from_db()
    assert show_on_sale.status == Show.Status.POSTPONED


def test_a_draft_can_be_deleted_with_its_seats(staff: Client, draft_show: Show) -> None:
    staff.post(reverse("admin:inventory_show_delete", args=[draft_show.pk]), {"post": "yes"})

    assert not Show.objects.exists()
    assert not Seat.objects.exists()


def test_a_hold_whose_time_is_over_reads_so_though_nobody_has_marked_it(
    staff: Client, held_seats: Hold, other_show: Show
) -> None:
    let_lapse(held_seats)
    hold_seats(show_id=other_show.pk, seat_ids=seat_ids(other_show, "B-1"))

    holds = staff.get(reverse("admin:inventory_hold_changelist")).content.decode()
    page = staff.get(reverse("admin:inventory_hold_change", args=[held_seats.pk])).content.decode()

    assert holds.count("active until its time was over") == 1
    assert "active until its time was over" in page


def test_the_job_of_a_hold_leads_to_its_page(staff: Client, held_seats: Hold) -> None:
    job = Job.objects.get(subject=f"hold:{held_seats.pk}")
    page = staff.get(reverse("admin:jobs_job_change", args=[job.pk])).content.decode()

    assert reverse("admin:inventory_hold_change", args=[held_seats.pk]) in page


@pytest.mark.parametrize("name", ["0", "x", "9" * 30])
def test_a_job_of_a_hold_that_is_no_hold_leads_nowhere(staff: Client, held_seats: Hold, name: str) -> None:
    job = Job.objects.get(subject=f"hold:{held_seats.pk}")
    Job.objects.update(subject=f"hold:{name}")
    page = staff.get(reverse("admin:jobs_job_change", args=[job.pk]))

    assert page.status_code == 200
    assert "/inventory/hold/" not in page.content.decode().replace(reverse("admin:inventory_hold_changelist") + '"', "")
