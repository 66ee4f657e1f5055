"""What one test's processes leave behind reaches no other test."""

from __future__ import annotations

from pytest_django.plugin import DjangoDbBlocker

from jobs.flow.heartbeats import Sign, beat
from jobs.flow.limits import read_limits
from tests.fixtures_jobs import end_between_tests
from tests.ledger import real_commits
from tests.processes import System

pytestmark = real_commits


def test_nobody_sizes_a_window_by_workers_that_have_ended_between_two_tests(
    django_db_blocker: DjangoDbBlocker,
) -> None:
    worker = Sign(name="worker0@test", kind="worker", queues=["probe"], concurrency=2, prefetch=8)
    beat(worker, using="default", started_at=None)
    assert read_limits(using="default").prefetch == {"probe": 8}
    end_between_tests(System({}), blocker=django_db_blocker)
    assert read_limits(using="default").prefetch == {}
