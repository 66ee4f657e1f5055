"""Old scans go, and their tickets stay used."""

from __future__ import annotations

from datetime import timedelta

import pytest

from jobs.batches import BATCH
from jobs.queues import queue_named
from tests.fixtures_clock import Clock
from tickets import prune_scans as pruning
from tickets.admit import scan
from tickets.door_answer import Door
from tickets.models import Scan, Ticket
from tickets.prune_scans import KEPT_DAYS, prune_scans

pytestmark = pytest.mark.django_db(transaction=True)


def door_for(ticket: Ticket) -> Door:
    return Door(show_id=ticket.show_id, name="North", user_id=7, by="grace")


def test_scans_go_after_their_time_and_the_ticket_still_lets_nobody_in_again(
    issued_tickets: list[Ticket], clock: Clock
) -> None:
    first, second = issued_tickets
    assert scan(text=first.code, door=door_for(first)).admits
    clock.advance(timedelta(days=KEPT_DAYS - 1))
    assert scan(text=second.code, door=door_for(second)).admits
    assert prune_scans() == 0
    clock.advance(timedelta(days=1, seconds=1))
    assert prune_scans() == 1
    assert [row.ticket_id for row in Scan.objects.all()] == [second.pk]

    again = scan(text=first.code, door=door_for(first))
    assert (again.result, again.earlier) == (Scan.Result.AGAIN, None)


def test_scans_go_in_batches_until_none_is_left_or_the_time_is_over(issued_tickets: list[Ticket], clock: Clock) -> None:
    show_id = issued_tickets[0].show_id
    Scan.objects.bulk_create(
        Scan(show_id=show_id, door="North", user_id=7, by="grace", result="forged", proven=False)
        for _ in range(BATCH + 1)
    )
    clock.advance(timedelta(days=KEPT_DAYS + 1))
    assert prune_scans(seconds=0) == 0
    assert prune_scans() == BATCH + 1
    assert not Scan.objects.exists()


def test_a_night_ends_well_before_its_time_limit() -> None:
    assert queue_named("default").soft_limit_seconds / 2 > pruning.LONGEST_SECONDS
