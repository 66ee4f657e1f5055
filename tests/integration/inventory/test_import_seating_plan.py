"""Taking plans in: from files, by the command, and quickly."""

from __future__ import annotations

import json
import time
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from inventory.create_show import create_show
from inventory.errors import PlanExists, PlanRefused
from inventory.import_seating_plan import import_seating_plan
from inventory.models import SeatingPlan, Venue
from jobs.clock import database_now
from tests.fixtures_inventory import plan_document

pytestmark = pytest.mark.django_db

# "A few seconds" for tens of thousands of seats, with room for a busy machine.
SECONDS_FOR_50_000_SEATS = 15


@pytest.fixture
def plan_file(tmp_path: Path) -> Path:
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(plan_document()))
    return file


def test_the_command_takes_a_plan_in_and_says_how_many_seats(venue: Venue, plan_file: Path) -> None:
    said = StringIO()

    call_command("import_seating_plan", plan_file, venue="kammertheater", stdout=said)

    assert said.getvalue() == "Kammertheater: Small hall: 32 seats.\n"
    plan = SeatingPlan.objects.get()
    assert plan.document == plan_document()
    assert (plan.width, plan.height) == (310, 300)


def test_the_command_can_name_the_plan(venue: Venue, plan_file: Path) -> None:
    call_command("import_seating_plan", plan_file, venue="kammertheater", name="With orchestra pit", stdout=StringIO())

    assert SeatingPlan.objects.get().name == "With orchestra pit"


def test_the_command_refuses_a_broken_file_with_its_path_and_changes_nothing(venue: Venue, plan_file: Path) -> None:
    document = plan_document()
    document["zones"][0]["rows"][3]["seats"][7]["seat_guid"] = "A-1"
    plan_file.write_text(json.dumps(document))

    with pytest.raises(CommandError, match=r"zones\[0\]\.rows\[3\]\.seats\[7\]\.seat_guid: “A-1” is already"):
        call_command("import_seating_plan", plan_file, venue="kammertheater")

    assert not SeatingPlan.objects.exists()


def test_the_command_names_the_venues_there_are(venue: Venue, plan_file: Path) -> None:
    with pytest.raises(CommandError, match=r"no venue “opera”.*kammertheater"):
        call_command("import_seating_plan", plan_file, venue="opera")


@pytest.mark.parametrize("name", ["missing.json", "."])
def test_the_command_says_when_the_file_cannot_be_read(venue: Venue, tmp_path: Path, name: str) -> None:
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("import_seating_plan", tmp_path / name, venue="kammertheater")


def test_the_same_plan_again_is_the_same_row(plan: SeatingPlan) -> None:
    again = import_seating_plan(venue=plan.venue, raw=json.dumps(plan_document()).encode())

    assert again == plan
    assert SeatingPlan.objects.count() == 1


def test_a_different_plan_of_the_same_name_is_refused(plan: SeatingPlan) -> None:
    other = json.dumps(plan_document(rows="AB")).encode()

    with pytest.raises(PlanExists, match="name of its own"):
        import_seating_plan(venue=plan.venue, raw=other)

    plan.refresh_from_db()
    assert plan.document == plan_document()
    assert import_seating_plan(venue=plan.venue, raw=other, name="Without rows C and D").seat_count == 16


def test_a_name_that_is_too_long_is_refused(venue: Venue) -> None:
    with pytest.raises(PlanRefused, match="name: This is longer than 200"):
        import_seating_plan(venue=venue, raw=json.dumps(plan_document()).encode(), name="x" * 201)

    assert not SeatingPlan.objects.exists()


def test_fifty_thousand_seats_become_a_show_in_a_few_seconds(venue: Venue) -> None:
    document = plan_document(seats=100)
    pattern = document["zones"][0]["rows"]
    document["zones"][0]["rows"] = [
        {
            **row,
            "row_number": f"{row['row_number']}{block}",
            "seats": [{**seat, "seat_guid": f"{block}-{seat['seat_guid']}"} for seat in row["seats"]],
        }
        for block in range(125)
        for row in pattern
    ]
    raw = json.dumps(document).encode()
    now = database_now()
    began = time.monotonic()

    plan = import_seating_plan(venue=venue, raw=raw)
    show = create_show(
        plan=plan,
        title="Stadium",
        starts_at=now.replace(year=now.year + 1, day=1),
        on_sale_at=now,
        currency="EUR",
        prices={"Front": 0, "House": 0},
    )

    took = time.monotonic() - began
    assert show.seats.count() == plan.seat_count == 50_000
    assert took < SECONDS_FOR_50_000_SEATS, f"{took:.1f} s"
