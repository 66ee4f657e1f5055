"""One relay and two workers for each broker, shared by the tests of this folder: starting them takes seconds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django.plugin import DjangoDbBlocker

from jobs.models import Job
from tests.failpoints import Failpoints
from tests.fixtures_jobs import broker_url, empty, end_between_tests, environment
from tests.processes import LiveSystem, wait_for


@pytest.fixture(scope="package", params=["redis", "rabbitmq"])
def live_broker(request: pytest.FixtureRequest) -> str:
    """The URL of each broker in turn."""
    return broker_url(request.param)


@pytest.fixture(scope="package")
def live_failpoints(live_broker: str, tmp_path_factory: pytest.TempPathFactory) -> Failpoints:
    return Failpoints(tmp_path_factory.mktemp("failpoints"))


@pytest.fixture(scope="package")
def live_system(
    live_broker: str, live_failpoints: Failpoints, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[LiveSystem]:
    with django_db_blocker.unblock():
        system = LiveSystem({**environment(live_broker), "FAILPOINTS": str(live_failpoints.folder)})
    _systems.append(system)
    yield system
    end_between_tests(system, blocker=django_db_blocker)
    _systems.remove(system)


_systems: list[LiveSystem] = []


@pytest.fixture(scope="module")
def no_live_system(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:
    """For processes of a test's own: those of the live system use the same ledger, and would take their jobs."""
    for system in _systems:
        end_between_tests(system, blocker=django_db_blocker)


@pytest.fixture
def failpoints(live_failpoints: Failpoints) -> Iterator[Failpoints]:
    """The points at which the live system's processes can be made to die."""
    yield live_failpoints
    live_failpoints.disarm()


@pytest.fixture
def live(live_broker: str, live_system: LiveSystem, transactional_db: None) -> Iterator[LiveSystem]:
    """A relay and two workers that run, on empty queues and an empty ledger."""
    empty(live_broker)
    live_system.put_right()
    seen = {process: len(process.output) for process in live_system.processes}
    yield live_system
    for process in live_system.processes:
        # pytest shows this only for a test that failed
        print(f"--- {process.name} ---\n", "".join(process.output[seen.get(process, 0) :][-60:]))  # noqa: T201
    if not _comes_to_rest():
        live_system.stop()  # what is still under way must not meet the next test


def _comes_to_rest() -> bool:
    try:
        wait_for(lambda: not Job.objects.filter(state__in=["published", "running"]).exists(), seconds=10)
    except AssertionError:
        return False
    return True
