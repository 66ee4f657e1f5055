"""The counts of free seats by real processes, from a fan's hold to the list."""

from __future__ import annotations

from pathlib import Path

import pytest

from inventory.hold_seats import hold_seats
from inventory.models import Show
from inventory.release_hold import release_hold
from inventory.search_shows import Wanted, search_shows
from jobs.scrape.render import render
from tests.expired_holds import real_commits
from tests.fixtures_inventory import seat_ids
from tests.fixtures_jobs import broker_url, empty
from tests.processes import System, wait_for


@pytest.fixture
def broker() -> str:
    """One broker will do: the engine's own tests run on both."""
    url = broker_url("redis")
    empty(url)
    return url


@real_commits
def test_the_list_follows_holds_and_releases_and_the_lag_is_measured(
    system: System, show_on_sale: Show, tmp_path: Path, settings: pytest.FixtureRequest
) -> None:
    system.environment["PROMETHEUS_MULTIPROC_DIR"] = str(tmp_path)
    worker = system.start_worker(queues="default", concurrency=1, wait=False)
    system.start_relay()
    worker.wait_until_ready()

    hold = hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, "A-1", "A-2"))
    wait_for(lambda: free_in_the_list() == 30, what="the list knows of the hold")
    release_hold(token=hold.token)
    wait_for(lambda: free_in_the_list() == 32, what="the list knows of the release")

    settings.LEDGER_METRICS_FOLDER = str(tmp_path)  # type: ignore[attr-defined]
    wait_for(
        lambda: "inventory_availability_lag_seconds_count 2.0" in render(with_ledger=False).decode(),
        what="two lags are measured",
    )


def free_in_the_list() -> int:
    (offer,) = search_shows(wanted=Wanted()).offers
    return offer.seats_free
