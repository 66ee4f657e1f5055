"""Beats that outlive a test, for it takes seconds to start them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.failpoints import Failpoints
from tests.fixtures_jobs import end_between_tests, environment
from tests.live_beats import Beats
from tests.ports import free_ports
from tests.probe_schedules import ProbeSchedule


@pytest.fixture(scope="module")
def beat_failpoints(tmp_path_factory: pytest.TempPathFactory) -> Failpoints:
    return Failpoints(tmp_path_factory.mktemp("failpoints"))


@pytest.fixture(scope="module")
def all_beats(
    beat_failpoints: Failpoints, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[Beats]:
    (closed,) = free_ports(1)
    with django_db_blocker.unblock():
        beats = Beats({**environment(f"redis://127.0.0.1:{closed}/0"), "FAILPOINTS": str(beat_failpoints.folder)})
    yield beats
    end_between_tests(beats, blocker=django_db_blocker)


@pytest.fixture
def beats(all_beats: Beats, beat_failpoints: Failpoints, transactional_db: None) -> Iterator[Beats]:
    all_beats.put_right()
    seen = {beat: len(beat.output) for beat in all_beats.processes}
    yield all_beats
    beat_failpoints.disarm()
    for beat in all_beats.processes:
        # pytest shows this only for a test that failed
        print(f"--- {beat.pid} ---\n", "".join(beat.output[seen.get(beat, 0) :][-60:]))  # noqa: T201


@pytest.fixture
def schedule(beats: Beats) -> ProbeSchedule:
    """One that is due each second and leaves nothing out. It goes on from test to test."""
    assert beats.schedule is not None
    return beats.schedule
