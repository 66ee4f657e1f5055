"""A real beat that falls silent is told of by those who are scraped, since it cannot tell itself."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from urllib.request import urlopen

import pytest

from jobs.scrape.ledger import LedgerCollector
from tests.fixtures_clock import Clock
from tests.fixtures_jobs import broker_url, environment
from tests.ports import free_ports
from tests.processes import Process, System, wait_for

pytestmark = pytest.mark.django_db(transaction=True)


def told(name: str) -> float:
    return next(
        sample.value for family in LedgerCollector().collect() for sample in family.samples if sample.name == name
    )


@pytest.fixture
def port() -> int:
    return free_ports(1)[0]


@pytest.fixture
def beat(port: int, tmp_path: Path, transactional_db: None) -> Iterator[Process]:
    """One beat that serves its own metrics. It never asks for the broker."""
    own = {"METRICS_PORT": str(port), "METRICS_TOKEN": "", "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
    system = System({**environment(broker_url("redis")), **own})
    yield system.start_beat()
    system.stop()


def test_a_beat_that_hangs_is_silent_and_one_that_ends_is_gone(beat: Process, port: int, clock: Clock) -> None:
    wait_for(lambda: told("jobs_scheduler_beats") == 1, what="the beat says that it lives")
    wait_for(lambda: told("jobs_scheduler_tick_age_seconds") < 5, what="it ticks")
    with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as response:
        text = response.read().decode()
    assert "jobs_retired_total" in text
    assert "jobs_scheduler_tick_age_seconds" not in text
    beat.pause()
    clock.advance(timedelta(seconds=61))
    assert told("jobs_scheduler_tick_age_seconds") > 60
    assert told("jobs_scheduler_beats") == 0
    beat.resume()
    wait_for(lambda: told("jobs_scheduler_tick_age_seconds") < 5, what="it ticks again")
    beat.terminate()
    assert told("jobs_scheduler_beats") == 0
