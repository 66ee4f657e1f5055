"""Holds that end by real processes: a relay that sees the time pass and a worker that runs their jobs."""

from __future__ import annotations

import pytest
from django.db import transaction

from inventory.hold_seats import HOLD_DURATION, hold_seats
from inventory.models import Hold, Show
from jobs.enqueue import enqueue
from jobs.models import Job
from tests.expired_holds import real_commits
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import let_lapse, statuses
from tests.fixtures_jobs import broker_url, empty
from tests.ledger import wait_for_state
from tests.processes import System


@pytest.fixture
def broker() -> str:
    """One broker will do: the engine's own tests run on both."""
    url = broker_url("redis")
    empty(url)
    return url


@pytest.fixture
def default_worker(system: System) -> System:
    """A relay and a worker for the queue of the holds."""
    worker = system.start_worker(queues="default", concurrency=1, wait=False)
    system.start_relay()
    worker.wait_until_ready()
    return system


@real_commits
def test_a_worker_ends_a_hold_when_its_time_is_over_and_by_a_sweep_one_that_has_lost_its_job(
    default_worker: System, show_on_sale: Show, held_seats: Hold, clock: Clock
) -> None:
    job = Job.objects.get(subject=f"hold:{held_seats.pk}")
    assert (job.state, job.gate) == ("waiting", "later")

    clock.advance(HOLD_DURATION)

    job = wait_for_state(job.pk, "done")
    assert job.started_at is not None
    assert job.started_at >= held_seats.expires_at
    assert Hold.objects.get(pk=held_seats.pk).status == "expired"
    assert statuses(show_on_sale)["A-1"] == "available"

    another = hold_seats(show_id=show_on_sale.pk, seat_ids=held_seats.seat_ids)
    Job.objects.filter(subject=f"hold:{another.pk}").delete()
    let_lapse(another)
    with transaction.atomic():
        sweep = enqueue(task="inventory.release_expired_holds", args={})

    wait_for_state(sweep, "done")
    assert Hold.objects.get(pk=another.pk).status == "expired"
    assert statuses(show_on_sale)["A-1"] == "available"
