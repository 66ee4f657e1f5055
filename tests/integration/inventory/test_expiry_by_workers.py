"""Holds that end by real processes: a relay that sees the time pass and a worker that runs their jobs."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from inventory.hold_seats import HOLD_DURATION, hold_seats
from inventory.models import Hold, Show
from inventory.release_expired_holds import AT_LEAST_SECONDS
from jobs.enqueue import enqueue
from jobs.models import Job
from jobs.scrape.render import render
from tests.expired_holds import real_commits
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import let_lapse, seat_ids, statuses
from tests.fixtures_jobs import broker_url, empty
from tests.ledger import wait_for_state
from tests.processes import System, run_to_end


@pytest.fixture
def broker() -> str:
    """One broker will do: the engine's own tests run on both."""
    url = broker_url("redis")
    empty(url)
    return url


@pytest.fixture
def default_worker(system: System, tmp_path: Path) -> System:
    """A relay and a worker for the queue of the holds, which count into the test's folder."""
    system.environment["PROMETHEUS_MULTIPROC_DIR"] = str(tmp_path)
    worker = system.start_worker(queues="default", concurrency=1, wait=False)
    system.start_relay()
    worker.wait_until_ready()
    return system


@real_commits
def test_a_worker_ends_a_hold_when_its_time_is_over_and_a_sweep_or_a_command_one_that_has_lost_its_job(
    default_worker: System, show_on_sale: Show, held_seats: Hold, clock: Clock, tmp_path: Path, settings: Any
) -> None:
    job = Job.objects.get(subject=f"hold:{held_seats.pk}")
    assert (job.state, job.gate) == ("waiting", "later")

    clock.advance(HOLD_DURATION)

    job = wait_for_state(job.pk, "done")
    assert job.started_at is not None
    assert job.started_at >= held_seats.expires_at
    assert Hold.objects.get(pk=held_seats.pk).status == "expired"
    assert statuses(show_on_sale)["A-1"] == "available"

    hold_without_a_job(show_on_sale)
    with transaction.atomic():
        sweep = enqueue(task="inventory.release_expired_holds", args={})
    wait_for_state(sweep, "done")
    assert statuses(show_on_sale)["A-1"] == "available"

    hold_without_a_job(show_on_sale)
    clock.advance(timedelta(seconds=AT_LEAST_SECONDS))  # or the command finds that somebody has just been
    assert run_to_end(["manage.py", "release_expired_holds"], default_worker.environment).status == 0
    assert statuses(show_on_sale)["A-1"] == "available"

    settings.LEDGER_METRICS_FOLDER = str(tmp_path)
    scraped = render(with_ledger=False).decode()
    assert 'inventory_holds_expired_total{way="job"} 1.0' in scraped
    assert 'inventory_holds_expired_total{way="sweeper"} 2.0' in scraped
    assert 'inventory_sweeps_total{outcome="done"} 2.0' in scraped


def hold_without_a_job(show: Show) -> None:
    """A lapsed hold of A-1 whose job is lost."""
    hold = hold_seats(show_id=show.pk, seat_ids=seat_ids(show, "A-1"))
    Job.objects.filter(subject=f"hold:{hold.pk}").delete()
    let_lapse(hold)
