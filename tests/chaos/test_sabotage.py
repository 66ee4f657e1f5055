"""The harness can fail: an engine that is broken on purpose turns a line of the run red."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.chaos.crew import Crew
from tests.chaos.faults import ALL
from tests.chaos.provider import Provider
from tests.chaos.runner import Runner
from tests.failpoints import Failpoints
from tests.fixtures_jobs import broker_url, environment
from tests.ledger import real_commits

pytestmark = real_commits


@pytest.fixture
def sabotaged_runner(tmp_path: Path) -> Iterator[Runner]:
    """The run's own machinery on the servers of the tests; its workers commit effects first and ``done`` later."""
    provider = Provider()
    variables = {
        "FAILPOINTS": str(tmp_path),
        "CHAOS_PROVIDER_URL": provider.url,
        "SABOTAGE": "effects-before-done",
    }
    crew = Crew({**environment(broker_url("redis")), **variables})
    servers: Any = SimpleNamespace(broker_url=broker_url)
    yield Runner(
        broker="redis", servers=servers, crew=crew, failpoints=Failpoints(tmp_path), provider=provider, jobs=40, seed=1
    )
    crew.stop()
    provider.close()


def test_effects_that_do_not_commit_together_with_done_are_found(sabotaged_runner: Runner) -> None:
    fault = next(fault for fault in ALL if fault.name == "child killed after the effect, before done")
    (verdict,) = sabotaged_runner.run([fault])
    assert verdict.fired
    assert verdict.observed.duplicated
    assert not verdict.is_right
